// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/other_patches.hpp"

#include <filesystem>

#include "proto/spec/form/files.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/form/yaml_reader.hpp"
#include "solvers/base/error.hpp"

namespace kaname::spec {
namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& rule) {
    throw ValidationError(std::vector<Violation>{{field, rule}});
}

/// Nothing must be left of what was given once the parts that may change are taken out.
template <class Part>
void require_nothing_else(const Part& rest, const std::string& field, const std::string& allowed) {
    if (rest.ByteSizeLong() > 0) {
        refuse(field, "must give " + allowed + " alone: all else is the dataset's");
    }
}

void take_plane(v1::Plane given, v1::Plane& plane) {
    plane.set_n_strike(given.n_strike());
    plane.set_n_dip(given.n_dip());
    *plane.mutable_rake_deg() = given.rake_deg();
    *plane.mutable_components() = given.components();
    given.clear_n_strike();
    given.clear_n_dip();
    given.clear_rake_deg();
    given.clear_components();
    require_nothing_else(given, "plane", "n_strike, n_dip, rake_deg and components");
}

void take_interface(v1::Interface given, v1::Interface& interface) {
    *interface.mutable_patches() = given.patches();
    given.clear_patches();
    require_nothing_else(given, "interface", "patches");
}

void take_mesh(v1::MeshFault given, v1::MeshFault& mesh) {
    *mesh.mutable_sources() = given.sources();
    given.clear_sources();
    require_nothing_else(given, "mesh", "sources");
}

}  // namespace

LoadedSpec with_patches(v1::GreensBatch batch, const std::string& path) {
    v1::Fault given;
    YamlReading reading = scan_yaml(read_text_file(path), path, given);
    std::vector<Violation> broken = std::move(reading.violations);
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    for (Violation& violation : resolve_files(given, folder)) {
        broken.push_back(std::move(violation));
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    v1::Fault& fault = *batch.mutable_fault();
    if (given.has_plane() && fault.has_plane()) {
        take_plane(given.plane(), *fault.mutable_plane());
    } else if (given.has_interface() && fault.has_interface()) {
        take_interface(given.interface(), *fault.mutable_interface());
    } else if (given.has_mesh() && fault.has_mesh()) {
        take_mesh(given.mesh(), *fault.mutable_mesh());
    } else {
        const std::string of = fault.has_plane()       ? "plane"
                               : fault.has_interface() ? "interface"
                               : fault.has_mesh()      ? "mesh"
                                                       : "several";
        refuse(path, "must describe patches under the key " + quote(of) +
                         ", which the dataset's fault is");
    }
    return load_batch(std::move(batch));
}

}  // namespace kaname::spec
