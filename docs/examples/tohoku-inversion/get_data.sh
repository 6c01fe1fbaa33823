#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Turns the published offsets of the earthquake into the tables of this example:
#   get_data.sh FOLDER   with tohoku2011_gnss_land.csv (id,lat_deg,lon_deg,east_m,north_m,up_m) and
#                        tohoku2011_seafloor_gnss_acoustic.csv (site, then the same)
# They are not part of the repository: nobody has stated a licence for them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
from=${1:?usage: get_data.sh FOLDER}
for pair in tohoku2011_gnss_land.csv:land.csv tohoku2011_seafloor_gnss_acoustic.csv:seafloor.csv; do
    source=$from/${pair%%:*}
    if [[ ! -f $source ]]; then
        echo "get_data.sh: $source is not there; README.md says where the offsets come from" >&2
        exit 3
    fi
    awk -F, 'NR == 1 { print "station,lon_deg,lat_deg,east_m,north_m,up_m"; next }
             { print $1 "," $3 "," $2 "," $4 "," $5 "," $6 }' "$source" > "$here/${pair##*:}"
done
echo "wrote $here/land.csv and $here/seafloor.csv"
