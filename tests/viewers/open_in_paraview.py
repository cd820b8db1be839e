"""Opens files in ParaView: pvpython open_in_paraview.py FOLDER. Prints a line each: name, points, bounds; names of
arrays; the ranges of velocities; the times of a film and the points then."""
import os
import sys

from paraview import simple

READERS = {"torus.ply": simple.PLYReader, "torus.obj": simple.WavefrontOBJReader, "torus.stl": simple.STLReader,
           "points.vtp": simple.XMLPolyDataReader, "torus.vtp": simple.XMLPolyDataReader}

for name, reader in READERS.items():
    path = os.path.join(sys.argv[1], name)
    source = reader(FileName=[path]) if name.endswith(".vtp") else \
        reader(FileNames=[path]) if name.endswith((".ply", ".stl")) else reader(FileName=path)
    source.UpdatePipeline()
    information = source.GetDataInformation()
    x0, x1, y0, y1, z0, z1 = information.GetBounds()
    print("opened", name, information.GetNumberOfPoints(), x0, y0, z0, x1, y1, z1)
    print("arrays", name, ",".join(sorted(source.PointData.keys())) or "none")
    if "velocity" in source.PointData.keys():
        ranges = [source.PointData["velocity"].GetRange(k) for k in range(3)]
        print("velocity", name, information.GetNumberOfPoints(), *[r[0] for r in ranges], *[r[1] for r in ranges])

film = simple.PVDReader(FileName=os.path.join(sys.argv[1], "surface.pvd"))
film.UpdatePipelineInformation()
points = []
for time in film.TimestepValues:
    film.UpdatePipeline(time)
    points.append(film.GetDataInformation().GetNumberOfPoints())
print("film", ",".join("%g:%d" % pair for pair in zip(film.TimestepValues, points)))
