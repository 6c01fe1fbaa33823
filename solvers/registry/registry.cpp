// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/error.hpp"
#include "solvers/registry/stages.hpp"
#include "solvers/registry/viscoelastic_stages.hpp"

namespace kaname::registry {

const Stages& find_stages(const std::string& physics) {
    static const ViscoelasticStages viscoelastic;
    if (physics == "viscoelastic") {
        return viscoelastic;
    }
    throw Error(ErrorCode::NotFound, "physics must be viscoelastic, got '" + physics + "'");
}

}  // namespace kaname::registry
