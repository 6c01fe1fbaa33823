// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/source_time.pb.h"
#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/source_time/time_function.hpp"
#include "worker/jobs/stage/greens_job.hpp"
#include "worker/jobs/stage/solve_options.hpp"

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
        {field, "must be " + request::join_or(words) + ", got " + request::quote(word)}});
}

/// mu = rho vs^2, lambda = rho (vp^2 - 2 vs^2) of velocities. Throws ValidationError naming `field`
/// where neither these nor moduli are complete.
[[nodiscard]] earth::Material material_of(const v1::Material& material, const std::string& field);

[[nodiscard]] earth::ViscosityRange range_of(const v1::ViscosityRange& range);

/// A checked time function, with the defaults of what it leaves out.
[[nodiscard]] source_time::TimeFunction time_function_of(const v1::TimeFunction& function);

/// Surfaces and volumes of a structure that has them. Of its materials only those that a volume
/// uses, in the order of the list: nothing else of the model has to wait for an unused one.
/// Throws InvalidArgument for a volume of an unknown material.
[[nodiscard]] earth::VolumeLayout volumes_of(const v1::Structure& structure);
[[nodiscard]] jobs::VolumeSizes volume_sizes_of(const v1::Mesh& mesh);

}  // namespace kaname::compute
