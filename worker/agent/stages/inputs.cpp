// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/files.hpp"
#include "worker/agent/stages/pack.hpp"

namespace kaname::agent {
namespace fs = std::filesystem;

void lay_inputs(Pack& pack) {
    const fs::path spec = pack.holder.fetch("specification", pack.claimed.spec_sha256());
    for (const v1::Input& file : pack.claimed.files()) {
        (void)pack.holder.fetch(file.label(), file.sha256());
    }
    std::string list;
    for (const v1::Input& input : pack.claimed.inputs()) {
        const fs::path file = pack.holder.fetch(input.label(), input.sha256());
        list.append(input.label()).append("\t").append(file.string()).append("\n");
    }
    const fs::path inputs = pack.folder / "inputs";
    write_file(inputs, list);
    pack.given = {"--spec",   spec.string(),  "--files", pack.holder.files().string(),
                  "--inputs", inputs.string()};
}

}  // namespace kaname::agent
