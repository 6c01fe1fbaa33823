// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/spec/form/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/jobs/spec/choices.hpp"

namespace kaname::compute {

/// Returns the choice that the word of a field stands for. Throws ValidationError naming the field
/// and its words.
template <class Choice>
[[nodiscard]] Choice choice_from(const std::string& word, const std::string& field) {
    if (const auto choice = jobs::choice_of<Choice>(word)) {
        return *choice;
    }
    std::vector<std::string> words;
    for (const jobs::Word<Choice>& known : jobs::kWords<Choice>) {
        words.emplace_back(known.text);
    }
    throw ValidationError(std::vector<Violation>{
        {field, "must be " + spec::join_or(words) + ", got " + spec::quote(word)}});
}

}  // namespace kaname::compute
