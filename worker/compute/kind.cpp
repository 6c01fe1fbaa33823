// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/kind.hpp"

#include <algorithm>
#include <filesystem>

#include "solvers/base/error.hpp"

namespace kaname::compute {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, message);
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

void check_option(const Verb& verb, const std::string& name, Use use, bool given) {
    if (use == Use::Must && !given) {
        refuse(verb.name + " needs " + name);
    }
    if (use == Use::No && given) {
        refuse(verb.name + " takes no " + name);
    }
}

}  // namespace

const Verb& find_verb(std::span<const Kind* const> kinds, const std::string& schema,
                      const std::string& verb) {
    std::vector<std::string> known;
    for (const Kind* kind : kinds) {
        if (std::ranges::find(kind->schemas, schema) == kind->schemas.end()) {
            known.insert(known.end(), kind->schemas.begin(), kind->schemas.end());
            continue;
        }
        const auto found = std::ranges::find(kind->verbs, verb, &Verb::name);
        if (found != kind->verbs.end()) {
            return *found;
        }
        std::vector<std::string> verbs;
        for (const Verb& other : kind->verbs) {
            verbs.push_back(other.name);
        }
        refuse(schema + " has no verb '" + verb + "'; it has " + joined(verbs));
    }
    refuse("schema: '" + schema + "' is not known; known are " + joined(known));
}

void check_call(const Call& call, const Verb& verb) {
    if ((call.serve ? verb.serve : verb.once) == nullptr) {
        refuse(verb.name + (call.serve ? " takes no --serve" : " needs --serve"));
    }
    check_option(verb, "--out", call.serve ? Use::No : verb.out, !call.out.empty());
    check_option(verb, "--work", call.serve ? Use::Must : verb.work, !call.work.empty());
    check_option(verb, "--only", call.serve ? Use::No : verb.only, call.only);
    for (const std::string& label : verb.inputs) {
        (void)input(call, label);
    }
    for (const auto& [label, path] : call.inputs) {
        if (!verb.more_inputs && std::ranges::find(verb.inputs, label) == verb.inputs.end()) {
            refuse(verb.name + " knows no input '" + label + "'" +
                   (verb.inputs.empty() ? "" : "; it takes " + joined(verb.inputs)));
        }
    }
}

void check_work(const Call& call) {
    if (!call.work.empty() && !std::filesystem::is_directory(call.work)) {
        refuse("--work: '" + call.work + "' must be a folder that exists");
    }
}

const std::string& input(const Call& call, const std::string& label) {
    const auto found = call.inputs.find(label);
    if (found == call.inputs.end()) {
        refuse(call.verb + " needs the input '" + label + "'");
    }
    return found->second;
}

}  // namespace kaname::compute
