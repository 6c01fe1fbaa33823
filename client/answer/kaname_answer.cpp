// SPDX-License-Identifier: BSD-3-Clause
#include "client/answer/kaname_answer.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/answer/recorded_history.hpp"
#include "solvers/base/error.hpp"
#include "solvers/h5/host_settings.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/parallel/loops.hpp"
#include "worker/jobs/greens/answer.hpp"

using kaname::Error;
using kaname::ErrorCode;
using kaname::jobs::Answers;
using kaname::jobs::AnswerTimes;

struct kaname_answer_dataset {
    explicit kaname_answer_dataset(const char* path)
        : answers(kaname::io::read_greens_dataset(path, kaname::io::FieldGroups::LeaveOut)),
          history(kaname::answer::recorded_history(answers.dataset().specification_json),
                  answers.end_s()) {}

    Answers answers;
    kaname::jobs::SourceTimeFunction history;
};

struct kaname_answer_plan {
    const kaname_answer_dataset* dataset;
    AnswerTimes times;
};

namespace {

void note(kaname_answer_error* error, std::string_view code, const std::string& message) {
    if (error != nullptr) {
        std::snprintf(error->code, sizeof error->code, "%.*s", static_cast<int>(code.size()),
                      code.data());
        std::snprintf(error->message, sizeof error->message, "%s", message.c_str());
    }
}

/// Returns what call() returns; where it throws, notes the error and returns `failed`.
template <class Result, class Call>
Result guarded(kaname_answer_error* error, Result failed, const Call& call) {
    try {
        return call();
    } catch (const Error& thrown) {
        note(error, kaname::to_string(thrown.code()), thrown.what());
    } catch (const std::exception& thrown) {
        note(error, kaname::to_string(ErrorCode::Internal), thrown.what());
    }
    return failed;
}

/// One rheology for each row of values.
struct Rheologies {
    std::size_t rows, numbers;
    const char* const* names;
    const double* values;

    [[nodiscard]] kaname::viscoelastic::NamedNumbers said(std::size_t row) const {
        kaname::viscoelastic::NamedNumbers said;
        for (std::size_t k = 0; k < numbers; ++k) {
            said.emplace_back(names[k], values[row * numbers + k]);
        }
        return said;
    }
};

void answer_all(const kaname_answer_plan& plan, std::span<const double> slip_m,
                const Rheologies& rheologies, double* motion, double* certified) {
    const Answers& answers = plan.dataset->answers;
    kaname::parallel_for(
        static_cast<std::int64_t>(rheologies.rows),
        [&](std::int64_t place) {
            const auto row = static_cast<std::size_t>(place);
            const kaname::viscoelastic::NamedRheology rheology =
                answers.rheology(rheologies.said(row));
            if (certified != nullptr) {
                certified[row] = answers.error(rheology, answers.all());
            }
            const std::vector<double> values =
                slip_m.empty() ? answers.at(rheology.relaxation, plan.times, answers.all())
                               : answers.sum(rheology.relaxation, plan.times, slip_m);
            std::ranges::copy(values, motion + row * values.size());
        },
        1);
}

}  // namespace

int kaname_answer_interface(void) {
    return KANAME_ANSWER_INTERFACE;
}

kaname_answer_dataset* kaname_answer_open(const char* path, kaname_answer_error* error) {
    return guarded<kaname_answer_dataset*>(error, nullptr, [&] {
        const kaname::h5::HostSettings kept;
        return new kaname_answer_dataset(path);
    });
}

void kaname_answer_close(kaname_answer_dataset* dataset) {
    delete dataset;
}

size_t kaname_answer_count(const kaname_answer_dataset* dataset, int axis) {
    const kaname::io::GreensDataset& of = dataset->answers.dataset();
    switch (axis) {
        case KANAME_ANSWER_SOURCES:
            return of.sources.size();
        case KANAME_ANSWER_STATIONS:
            return of.stations.size();
        case KANAME_ANSWER_EPOCHS:
            return of.epochs_s.size();
        case KANAME_ANSWER_VISCOSITIES:
            return dataset->answers.parameters().size();
        default:
            return 0;
    }
}

const char* kaname_answer_name(const kaname_answer_dataset* dataset, int axis, size_t index) {
    if (axis == KANAME_ANSWER_EPOCHS || index >= kaname_answer_count(dataset, axis)) {
        return nullptr;
    }
    const kaname::io::GreensDataset& of = dataset->answers.dataset();
    return axis == KANAME_ANSWER_SOURCES    ? of.sources[index].id.c_str()
           : axis == KANAME_ANSWER_STATIONS ? of.stations[index].id.c_str()
                                            : dataset->answers.parameters()[index].name.c_str();
}

void kaname_answer_epochs(const kaname_answer_dataset* dataset, double* epochs_s) {
    std::ranges::copy(dataset->answers.dataset().epochs_s, epochs_s);
}

void kaname_answer_ranges(const kaname_answer_dataset* dataset, double* ranges_pa_s) {
    for (const auto& viscosity : dataset->answers.parameters()) {
        *ranges_pa_s++ = viscosity.from_pa_s;
        *ranges_pa_s++ = viscosity.to_pa_s;
        *ranges_pa_s++ = viscosity.reference_pa_s;
    }
}

kaname_answer_plan* kaname_answer_prepare(const kaname_answer_dataset* dataset,
                                          const double* epochs_s, size_t n_epochs,
                                          kaname_answer_error* error) {
    return guarded<kaname_answer_plan*>(error, nullptr, [&] {
        const std::vector<double>& own_s = dataset->answers.dataset().epochs_s;
        return new kaname_answer_plan{
            dataset, dataset->answers.times(epochs_s == nullptr ? std::span<const double>(own_s)
                                                                : std::span(epochs_s, n_epochs),
                                            dataset->history)};
    });
}

void kaname_answer_release(kaname_answer_plan* plan) {
    delete plan;
}

int kaname_answer(const kaname_answer_plan* plan, const double* slip_m, size_t n_rheologies,
                  size_t n_numbers, const char* const* names, const double* values, double* motion,
                  double* certified, kaname_answer_error* error) {
    return guarded(error, 1, [&] {
        const std::size_t n_sources = plan->dataset->answers.dataset().sources.size();
        answer_all(*plan, {slip_m, slip_m == nullptr ? 0 : n_sources},
                   {n_rheologies, n_numbers, names, values}, motion, certified);
        return 0;
    });
}
