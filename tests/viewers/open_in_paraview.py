"""Opens files in ParaView: pvpython open_in_paraview.py FOLDER. Prints a line each: name, points, bounds."""
import os
import sys

from paraview import simple

READERS = {"torus.ply": simple.PLYReader, "torus.obj": simple.WavefrontOBJReader, "torus.stl": simple.STLReader,
           "points.vtp": simple.XMLPolyDataReader}

for name, reader in READERS.items():
    path = os.path.join(sys.argv[1], name)
    source = reader(FileName=[path]) if name.endswith(".vtp") else \
        reader(FileNames=[path]) if name.endswith((".ply", ".stl")) else reader(FileName=path)
    source.UpdatePipeline()
    information = source.GetDataInformation()
    x0, x1, y0, y1, z0, z1 = information.GetBounds()
    print("opened", name, information.GetNumberOfPoints(), x0, y0, z0, x1, y1, z1)
