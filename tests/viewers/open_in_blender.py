"""Opens files in Blender: blender -b --python open_in_blender.py -- FOLDER. Prints a line each: name, vertices, bounds."""
import os
import sys

import numpy

numpy.bool = bool  # Blender 3.4's own glTF importer still asks for it
import addon_utils
import bpy

FOLDER = sys.argv[sys.argv.index("--") + 1]


def start_over():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for name in ("io_scene_gltf2", "io_mesh_ply", "io_mesh_stl", "io_scene_obj"):
        addon_utils.enable(name)


def corners(thing):
    """Vertices in the world, as the mesh has them (a box that is animated away still counts)."""
    return [thing.matrix_world @ vertex.co for vertex in thing.data.vertices]


def report(name, things):
    places = [place for thing in things for place in corners(thing)]
    low = [min(place[k] for place in places) for k in range(3)]
    high = [max(place[k] for place in places) for k in range(3)]
    print("opened", name, len(places), *low, *high)


def attributes(mesh):
    """What the importer kept beside the places: Blender's own attributes begin with a dot or are these."""
    own = ("position", "material_index", "sharp_face")
    return sorted(a.name for a in mesh.attributes if not a.name.startswith(".") and a.name not in own)


def open_mesh(name, importer, **options):
    start_over()
    importer(filepath=os.path.join(FOLDER, name), **options)
    things = [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]
    report(name, things)
    print("attributes", name, ",".join(attributes(things[0].data)) or "none")


def open_obj():
    if hasattr(bpy.ops.wm, "obj_import"):
        open_mesh("torus.obj", bpy.ops.wm.obj_import, forward_axis="Y", up_axis="Z")
    else:
        open_mesh("torus.obj", bpy.ops.import_scene.obj, axis_forward="Y", axis_up="Z")


def open_film():
    """Counts frames, and says which meshes are seen at which of Blender's frames."""
    start_over()
    scene = bpy.context.scene
    scene.render.fps = 25
    bpy.ops.import_scene.gltf(filepath=os.path.join(FOLDER, "film.glb"))
    meshes = [thing for thing in scene.objects if thing.type == "MESH"]
    nodes = [thing for thing in scene.objects if thing.name.startswith("surface-")]
    seen = []
    for frame in range(8, 17):
        scene.frame_set(frame)
        seen.append("%d:" % frame + "+".join(thing.name[-4:] for thing in nodes if max(thing.scale) > 0.5))
    print("film", len(nodes), len(meshes), ",".join(seen))


def open_volume(name):
    start_over()
    bpy.ops.object.volume_import(filepath=os.path.join(FOLDER, name))
    volume = bpy.context.scene.objects[0]
    volume.data.grids.load()
    for grid in volume.data.grids:
        print("grid", grid.name, grid.data_type, grid.channels)
    print("motion", volume.data.velocity_grid)
    grid = volume.data.grids["surface"]
    bpy.context.view_layer.update()
    modifier_target = bpy.data.objects.new("ball", bpy.data.meshes.new("ball"))
    bpy.context.scene.collection.objects.link(modifier_target)
    modifier = modifier_target.modifiers.new("mesh", "VOLUME_TO_MESH")
    modifier.object = volume
    modifier.grid_name = grid.name
    modifier.threshold = 0
    modifier.resolution_mode = "GRID"
    evaluated = modifier_target.evaluated_get(bpy.context.evaluated_depsgraph_get())
    # The modifier moves what it makes by half a voxel, to lie as Blender draws the volume (its bug T85312).
    half = [grid.matrix_object[k][k] / 2 for k in range(3)]
    places = [[vertex.co[k] - half[k] for k in range(3)] for vertex in evaluated.to_mesh().vertices]
    if places:
        print("opened", name, 0, *[min(p[k] for p in places) for k in range(3)],
              *[max(p[k] for p in places) for k in range(3)])


open_mesh("torus.ply", bpy.ops.import_mesh.ply)
open_obj()
open_mesh("torus.stl", bpy.ops.import_mesh.stl)
open_mesh("torus.glb", bpy.ops.import_scene.gltf)
open_film()
if os.path.exists(os.path.join(FOLDER, "ball.vdb")):
    open_volume("ball.vdb")
