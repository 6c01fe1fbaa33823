# SPDX-License-Identifier: BSD-3-Clause
"""The package that was built, for tests that are called with BIN_DIR SOURCE_DIR: skips them where
it or what they need is not there."""
import pathlib
import sys

BIN, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PACKAGE = BIN.parent / "python"
SKIP = 77
if not (PACKAGE / "kaname/_proto/kaname/v1/jobs_service_pb2_grpc.py").exists():
    print(f"the Python package is not built in {PACKAGE}")
    sys.exit(SKIP)
try:
    import h5py  # noqa: F401
    import matplotlib
    import numpy  # noqa: F401
    import xarray  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing} (deploy/scripts/packages.sh test)")
    sys.exit(SKIP)
matplotlib.use("Agg")
sys.path.insert(0, str(PACKAGE))
