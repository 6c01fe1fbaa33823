// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/files.hpp"
#include "worker/agent/stages/pack.hpp"

namespace kaname::agent {
namespace fs = std::filesystem;
namespace {

constexpr int kMany = 400;  // inputs: seconds of fetching

}  // namespace

void lay_inputs(Pack& pack) {
    const fs::path spec = pack.holder.fetch("specification", pack.claimed.spec_sha256());
    pack.readable = {spec};
    for (const v1::Input& file : pack.claimed.files()) {
        pack.readable.push_back(pack.holder.fetch(file.label(), file.sha256()));
    }
    std::string list;
    const int n_inputs = pack.claimed.inputs_size();
    for (int k = 0; k < n_inputs; ++k) {
        const v1::Input& input = pack.claimed.inputs(k);
        if (n_inputs > kMany && k % (kMany / 4) == 0) {
            pack.holder.set_progress(
                0.0, -1.0,
                "fetching inputs, " + std::to_string(k) + " of " + std::to_string(n_inputs));
        }
        const fs::path file = pack.holder.fetch(input.label(), input.sha256());
        pack.readable.push_back(file);
        list.append(input.label()).append("\t").append(file.string()).append("\n");
    }
    const fs::path inputs = pack.folder / "inputs";
    write_file(inputs, list);
    pack.given = {"--spec",   spec.string(),  "--files", pack.holder.files().string(),
                  "--inputs", inputs.string()};
}

}  // namespace kaname::agent
