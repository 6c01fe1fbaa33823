// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/answer_table.hpp"

#include <span>

#include "solvers/h5/atomic_file.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {

void write_answer_table(const std::string& path, const AnswerTable& table) {
    const std::vector<std::string> components = {"east", "north", "up"};
    const auto texts = [](const std::vector<std::string>& of) {
        return std::span<const std::string>(of);
    };
    h5::write_atomically(path, [&](h5::File& file) {
        file.set_attribute("/", "Conventions", std::string("CF-1.10"));
        file.set_attribute("/", "title", "answers of " + table.name + " for other viscosities");
        file.set_attribute("/", "specification", table.specification_json);
        GroupWriter root(file);
        root.count("rheology", table.error.size(), "choice of viscosities");
        root.epochs(table.epochs_s, "time since the slip");
        root.dimension("station", texts(table.stations), "", "station");
        root.dimension("component", texts(components), "", "direction of motion");
        root.dimension("parameter", texts(table.parameters), "", "viscosity that was chosen");
        root.variable("viscosity", {"rheology", "parameter"}, table.viscosity_pa_s, "Pa s",
                      "viscosities of each rheology");
        if (!table.ratios.empty()) {
            root.dimension("modulus", texts(table.ratios), "", "ratio that was chosen");
            root.variable("modulus_ratio", {"rheology", "modulus"}, table.modulus_ratio, "1",
                          "moduli of each rheology over the unrelaxed shear modulus");
        }
        root.variable("error", {"rheology"}, table.error, "1",
                      "certified error over the largest change of the motion");
        root.variable("displacement", {"rheology", "epoch", "station", "component"},
                      table.displacement_m, "m",
                      "displacement since before the slip, of the slip that was given");
    });
}

}  // namespace kaname::io
