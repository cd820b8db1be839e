#include "record/vdb_shim.h"

#include <openvdb/openvdb.h>
#include <openvdb/io/Archive.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>

namespace
{

// io::File does not notice a full disk: the file is made in memory and written by our own means.
class Writer : public openvdb::io::Archive
{
  public:
    Ptr copy() const override
    {
        return Ptr(new Writer(*this));
    }
    void write_grids(std::ostream &out, const openvdb::GridCPtrVec &grids) const
    {
        const bool is_seekable = true;  // readers find each grid by its offset
        write(out, grids, is_seekable, openvdb::MetaMap());
    }
};

// OpenVDB counts distances positive outside.
void set_block(openvdb::FloatGrid::Accessor &nodes, const int32_t block[3], const float *values,
               float background)
{
    for (int k = 0; k < 64; k++) {
        const openvdb::Coord place(4 * block[0] + k % 4, 4 * block[1] + k / 4 % 4, 4 * block[2] + k / 16);
        const float outside = std::clamp(-values[k], -background, background);
        if (std::abs(outside) < background)
            nodes.setValue(place, outside);
        else
            nodes.setValueOff(place, outside);
    }
}

openvdb::FloatGrid::Ptr make_grid(const dlp_vdb_shim &shim)
{
    const float background = static_cast<float>(shim.background);
    openvdb::FloatGrid::Ptr grid = openvdb::FloatGrid::create(background);
    grid->setName(shim.name);
    grid->setCreator(shim.creator);
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    grid->setTransform(openvdb::math::Transform::createLinearTransform(shim.voxel));
    openvdb::FloatGrid::Accessor nodes = grid->getAccessor();
    for (int32_t k = 0; k < shim.block_count; k++)
        set_block(nodes, shim.blocks[k], shim.values + 64 * static_cast<size_t>(k), background);
    openvdb::tools::signedFloodFill(grid->tree());  // the inside, which no block covers, is inside
    grid->pruneGrid();
    return grid;
}

// At the active nodes of the level set, which are those near the surface.
openvdb::Vec3SGrid::Ptr make_velocities(const dlp_vdb_shim &shim, const openvdb::FloatGrid &surface)
{
    openvdb::Vec3SGrid::Ptr grid = openvdb::Vec3SGrid::create(openvdb::Vec3s(0));
    grid->setName("velocity");
    grid->setCreator(shim.creator);
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    grid->setTransform(openvdb::math::Transform::createLinearTransform(shim.voxel));
    openvdb::Vec3SGrid::Accessor nodes = grid->getAccessor();
    openvdb::FloatGrid::ConstAccessor near = surface.getConstAccessor();
    for (int32_t b = 0; b < shim.block_count; b++)
        for (int k = 0; k < 64; k++) {
            const int32_t *block = shim.blocks[b];
            const openvdb::Coord place(4 * block[0] + k % 4, 4 * block[1] + k / 4 % 4, 4 * block[2] + k / 16);
            const float *u = shim.velocities + 3 * (64 * static_cast<size_t>(b) + static_cast<size_t>(k));
            if (near.isValueOn(place)) nodes.setValue(place, openvdb::Vec3s(u[0], u[1], u[2]));
        }
    return grid;
}

}  // namespace

int dlp_vdb_shim_write(const dlp_vdb_shim *shim, char *out_message, size_t message_size)
{
    try {
        openvdb::initialize();
        std::ostringstream out(std::ios_base::binary);
        const openvdb::FloatGrid::Ptr surface = make_grid(*shim);
        openvdb::GridCPtrVec grids{surface};
        if (shim->velocities != nullptr) grids.push_back(make_velocities(*shim, *surface));
        Writer().write_grids(out, grids);
        const std::string bytes = out.str();
        shim->put(shim->user, bytes.data(), bytes.size());
        return 0;
    } catch (const std::exception &reason) {
        std::snprintf(out_message, message_size, "%s", reason.what());
    } catch (...) {
        std::snprintf(out_message, message_size, "unknown failure");
    }
    return 1;
}
