#!/bin/bash
# Writes the pages of this folder: make.sh PATH-OF-kaname [FOLDER]. tests/e2e/cli_test.sh finds pages that are stale.
set -euo pipefail
kaname=$1 folder=${2:-$(dirname "$0")}
"$kaname" schema | while read -r kind; do
    title=$kind
    case $kind in
        Scenario) continue ;;  # has the keys of GreensBatch
        GreensBatch) title="GreensBatch and Scenario" ;;
    esac
    { echo "# Keys of $title"; echo; "$kaname" schema "$kind"; } > "$folder/$kind.md"
done
