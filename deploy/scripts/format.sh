#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Rewrites every C++ and CUDA file as tests/conventions/format_test.py wants it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
find proto server worker client solvers tests \( -name '*.?pp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    xargs -0 -n 16 -P "$(nproc)" clang-format-14 -i
