// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::agent {

// Options of a verb as variables of their names.
inline const std::string kOptions = R"sh(verb=$1
while [ $# -gt 0 ]; do
  case "$1" in --out) out=$2 ;; --work) work=$2 ;; --spec) spec=$2 ;; --files) files=$2 ;;
  --inputs) inputs=$2 ;; --serve) serve=yes ;; esac
  shift
done
)sh";

}  // namespace kaname::agent
