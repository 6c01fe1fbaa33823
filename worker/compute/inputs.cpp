// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/inputs.hpp"

#include <fstream>

#include "solvers/base/error.hpp"

namespace kaname::compute {
namespace {

/// `place`: where it was said, for errors.
void add(const std::string& place, const std::string& text, char between, const char* rule,
         Inputs& inputs) {
    const std::size_t at = text.find(between);
    if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    place + ": must be " + rule + ", got '" + text + "'");
    }
    const std::string label = text.substr(0, at);
    if (!inputs.emplace(label, text.substr(at + 1)).second) {
        throw Error(ErrorCode::InvalidArgument, place + ": input '" + label + "' is given twice");
    }
}

}  // namespace

void add_input(const std::string& text, Inputs& inputs) {
    add("--input", text, '=', "LABEL=PATH", inputs);
}

void add_input_list(const std::string& path, Inputs& inputs) {
    std::ifstream in(path);
    if (!in) {
        throw Error(ErrorCode::NotFound, "list of inputs '" + path + "' cannot be read");
    }
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        add(path + ":" + std::to_string(number), line, '\t', "a label, a tab and a path", inputs);
    }
}

}  // namespace kaname::compute
