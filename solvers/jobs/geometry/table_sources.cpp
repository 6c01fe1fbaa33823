// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/table_sources.hpp"

#include <algorithm>

#include "solvers/jobs/geometry/tables_on_mesh.hpp"

namespace kaname::jobs {

std::vector<std::string> TableSources::ids() const {
    std::vector<std::string> ids;
    for (const SlipSourceSpec& source : spec_.sources) {
        ids.push_back(source.name);
    }
    return ids;
}

std::string TableSources::content_key(const std::string& id) const {
    const auto found = std::ranges::find(spec_.sources, id, &SlipSourceSpec::name);
    return found == spec_.sources.end() ? "" : found->key;
}

std::unique_ptr<SlipOnMesh> TableSources::on(const MeshedFault& fault) const {
    return std::make_unique<TablesOnMesh>(job_, domain_, spec_, fault);
}

}  // namespace kaname::jobs
