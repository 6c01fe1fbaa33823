#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian 12 / Ubuntu 24.04 packages that Kaname needs; asks for nothing that is there.
# Usage: packages.sh [build] [test] [plot] [python] [package]     (none named: all but the last)
set -euo pipefail

build=(g++ cmake ninja-build                        # compiler and build
       libopenmpi-dev openmpi-bin                   # ranks of one solve (MPI)
       libhdf5-dev libmetis-dev libproj-dev proj-data  # datasets, partitions, map projections
       libeigen3-dev                                # inversions
       libmseed-dev                                 # seismograms as miniSEED
       libprotobuf-dev protobuf-compiler libyaml-cpp-dev  # job specifications
       libgrpc++-dev protobuf-compiler-grpc         # the service
       libpq-dev postgresql                         # its queue
       libssl-dev libnghttp2-dev                    # its certificates, and the gate of its port
       libmicrohttpd-dev libgnutls28-dev pkg-config  # its pages over HTTP
       nlohmann-json3-dev libcli11-dev)             # progress lines, command line
package=(dpkg-dev file)                           # cpack -G DEB
test=(libgtest-dev libcpp-httplib-dev clang-format-14  # unit tests; the second asks for pages
      python3 python3-numpy python3-h5py python3-xarray
      python3-netcdf4 python3-cvxopt mypy libfaketime curl
      slurmctld slurmd slurm-client munge          # a cluster of one node; the test starts its own
      dpkg-dev file                                 # a package is made and looked at
      prometheus                                    # scrapes a server; likewise
      python3-meshio                                # reads exported fields; python3-vtk9 would, too
      chromium)                                     # the page's
# Builds the page anew; npm may also have come with a Node.js of another source, beside which Debian's
# cannot be.
command -v npm > /dev/null || test+=(npm)
# Fonts of matplotlib need Munkres or SciPy, and SciPy brings Pythran, OpenBLAS, Boost and 20 more.
plot=(python3 python3-numpy python3-h5py python3-matplotlib python3-munkres  # pictures
      python3-xarray python3-netcdf4)              # opening a dataset as README.md shows
python=(python3 python3-numpy python3-h5py python3-yaml python3-grpcio python3-protobuf  # its client
        python3-xarray python3-matplotlib python3-munkres  # tables and pictures of it
        python3-gdal                                  # rasters of GMTSAR, LiCSAR and ISCE, Slab2
        python3-meshio                                # triangles of Gmsh
        python3-pip python3-setuptools python3-wheel)  # a wheel of it

wanted=()
for group in "${@:-all}"; do
    case "$group" in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    plot) wanted+=("${plot[@]}") ;;
    python) wanted+=("${python[@]}") ;;
    package) wanted+=("${package[@]}") ;;
    all) wanted+=("${build[@]}" "${test[@]}" "${plot[@]}" "${python[@]}") ;;
    *)
        echo "packages.sh: unknown group '$group', expected build, test, plot, python or package" >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query > /dev/null; then
    echo "packages.sh: this is no Debian or Ubuntu; please install the equivalents of:" >&2
    echo "  ${wanted[*]}" >&2
    echo "Then run again with KANAME_SKIP_PACKAGES=1." >&2
    [[ -n ${KANAME_SKIP_PACKAGES:-} ]] && exit 0 || exit 1
fi

missing=()
for package in "${wanted[@]}"; do
    state=$(dpkg-query -W -f='${db:Status-Status} ' "$package" 2> /dev/null || true)
    if [[ $state != *"installed "* || $state == *"not-installed "* ]]; then
        [[ " ${missing[*]} " == *" $package "* ]] || missing+=("$package")
    fi
done
if [[ ${#missing[@]} -eq 0 ]]; then
    echo "packages: all ${#wanted[@]} present (${*:-all})"
    exit 0
fi
if [[ -n ${KANAME_SKIP_PACKAGES:-} ]]; then
    echo "packages: going on without ${missing[*]} (KANAME_SKIP_PACKAGES is set)"
    exit 0
fi

echo "packages: installing for '${*:-all}': ${missing[*]}"
as_root=(env DEBIAN_FRONTEND=noninteractive)
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo > /dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2> /dev/null; }; then
        echo "packages.sh: installing needs root, and sudo cannot be used here." >&2
        echo "Please ask an administrator to run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    echo "packages: sudo may ask for your password"
    as_root=(sudo "${as_root[@]}")
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get -q update &&
       "${as_root[@]}" apt-get -q -y install --no-install-recommends "${missing[@]}"; } \
       > "$log" 2>&1 < /dev/null; then
    tail -n 20 "$log" >&2
    echo "packages.sh: apt-get failed (above); is there a network and a Debian mirror?" >&2
    exit 1
fi
echo "packages: installed ${#missing[@]}"
