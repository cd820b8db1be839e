/* A level set that dlp_vdb_write wrote, read by OpenVDB itself. Built only where OpenVDB is there. */
extern "C" {
#include "record/vdb.h"
}

#include <openvdb/openvdb.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

static int failures;

static void expect(bool holds, const char *what)
{
    if (holds) return;
    std::printf("does not hold: %s\n", what);
    failures++;
}

// Blocks of a ball of radius 0.6 m about (0.1, 0, 0) that are within two voxels' reach of its surface.
static const double voxel = 0.05, radius = 0.6;

static double depth(const openvdb::Coord &node)
{
    const double x = voxel * node.x() - 0.1, y = voxel * node.y(), z = voxel * node.z();
    return radius - std::sqrt(x * x + y * y + z * z);
}

struct Band {
    std::vector<int32_t> blocks;
    std::vector<float> values;
};

static Band make_band()
{
    Band band;
    for (int z = -5; z < 5; z++)
        for (int y = -5; y < 5; y++)
            for (int x = -5; x < 5; x++) {
                float values[64];
                bool is_near = false;
                for (int k = 0; k < 64; k++) {
                    values[k] = static_cast<float>(
                        depth(openvdb::Coord(4 * x + k % 4, 4 * y + k / 4 % 4, 4 * z + k / 16)));
                    is_near = is_near || std::fabs(values[k]) < 2 * voxel;
                }
                if (!is_near) continue;
                band.blocks.insert(band.blocks.end(), {x, y, z});
                band.values.insert(band.values.end(), values, values + 64);
            }
    return band;
}

// The velocity given at each value: its own coordinates.
static std::vector<float> make_velocities(const Band &band)
{
    std::vector<float> velocities;
    for (size_t b = 0; b < band.blocks.size() / 3; b++)
        for (int k = 0; k < 64; k++)
            velocities.insert(velocities.end(), {static_cast<float>(4 * band.blocks[3 * b] + k % 4),
                                                 static_cast<float>(4 * band.blocks[3 * b + 1] + k / 4 % 4),
                                                 static_cast<float>(4 * band.blocks[3 * b + 2] + k / 16)});
    return velocities;
}

static void check_velocities(const openvdb::Vec3SGrid &grid, const openvdb::FloatGrid &surface)
{
    expect(grid.getName() == "velocity", "the second grid is called velocity");
    expect(std::fabs(grid.voxelSize()[0] - voxel) < 1e-12, "its voxels have the same size");
    expect(grid.activeVoxelCount() == surface.activeVoxelCount(), "it is there where the surface is near");
    int32_t wrong = 0;
    for (auto node = grid.cbeginValueOn(); node; ++node)
        wrong += node.getValue() != openvdb::Vec3s(node.getCoord().asVec3s());
    expect(wrong == 0, "every node has its velocity");
}

static void check_grid(const openvdb::FloatGrid &grid)
{
    expect(grid.getName() == "surface", "the grid is called surface");
    expect(grid.getGridClass() == openvdb::GRID_LEVEL_SET, "it is a level set");
    expect(std::fabs(grid.voxelSize()[0] - voxel) < 1e-12, "its voxels have the size given");
    const float background = grid.background();
    int32_t wrong = 0;
    openvdb::FloatGrid::ConstAccessor nodes = grid.getConstAccessor();
    for (const openvdb::Coord &node : openvdb::CoordBBox(openvdb::Coord(-20), openvdb::Coord(19))) {
        const float outside = static_cast<float>(-depth(node));
        const float wanted = std::fmin(std::fmax(outside, -background), background);
        wrong += std::fabs(nodes.getValue(node) - wanted) > 1e-6f;
    }
    expect(wrong == 0, "every node, also deep inside, has its distance, negative inside");
    openvdb::math::CoordBBox box = grid.evalActiveVoxelBoundingBox();
    expect(box.min().x() > -14 && box.max().x() < 18, "only nodes near the surface are active");
}

int main()
{
    const Band band = make_band();
    dlp_vdb_def def{};
    def.voxel = voxel;
    def.background = 2 * voxel;
    def.block_count = static_cast<int32_t>(band.blocks.size() / 3);
    def.blocks = reinterpret_cast<const int32_t(*)[3]>(band.blocks.data());
    def.values = band.values.data();
    const std::vector<float> velocities = make_velocities(band);
    def.velocities = velocities.data();

    char folder[] = "/tmp/dollop-test-XXXXXX";
    if (mkdtemp(folder) == nullptr) return 1;
    const std::string path = std::string(folder) + "/ball.vdb";
    static dlp_error error;
    expect(dlp_vdb_write(path.c_str(), &def, &error) == DLP_OK, error.message);

    openvdb::initialize();
    openvdb::io::File file(path);
    file.open();
    expect(file.getGrids()->size() == 2, "there are two grids");
    const openvdb::FloatGrid::Ptr grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("surface"));
    check_grid(*grid);
    check_velocities(*openvdb::gridPtrCast<openvdb::Vec3SGrid>(file.readGrid("velocity")), *grid);
    file.close();

    def.background = -1;
    expect(dlp_vdb_write(path.c_str(), &def, &error) == DLP_INVALID, "a background below 0 is refused");
    expect(access(path.c_str(), R_OK) == 0, "a refused write leaves the file that was there");
    unlink(path.c_str());
    expect(rmdir(folder) == 0, "nothing half-written is left");
    std::printf("%d failed\n", failures);
    return failures > 0;
}
