// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/require.hpp"

#include <cmath>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::meshing {

void require(bool holds, const std::string& field, const char* rule, double value) {
    if (!holds) {
        std::ostringstream text;
        text << field << " must be " << rule << ", got " << value;
        throw Error(ErrorCode::InvalidArgument, text.str());
    }
}

void require_length(const std::string& field, double value) {
    require(std::isfinite(value) && value > 0.0, field, "finite and > 0", value);
}

}  // namespace kaname::meshing
