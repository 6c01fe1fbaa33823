// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "solvers/base/error.hpp"
#include "solvers/viscoelastic/stepping/predictor_setup.hpp"

namespace kaname::jobs {

enum class SolverMethod { Default, Pcge, Seed, Multistep2018 };
enum class ElementChoice { Auto, P2, NodalDilatation };
enum class TimeMethod { Auto, Stepping, Spectrum };
enum class DeviceChoice { Auto, Cpu, Cuda };
/// CheckpointMode selects the contents of a pack's checkpoint; Full stores all of the predictor's
/// history.
enum class CheckpointMode { Auto, Full, None };
enum class HistoryKind { Step, Ramp, Steady, Exponential, Logarithmic, Table };
using viscoelastic::PredictorKind;

/// The word for a choice in specifications, datasets, reports and keys of measured speeds.
template <class Choice>
struct Word {
    Choice choice;
    const char* text;
};

/// The words of each kind of choice; a choice and its word stand together nowhere else.
template <class Choice>
inline constexpr std::array<Word<Choice>, 0> kWords = {};
template <>
inline constexpr auto kWords<SolverMethod> =
    std::to_array<Word<SolverMethod>>({{SolverMethod::Default, "default"},
                                       {SolverMethod::Pcge, "pcge"},
                                       {SolverMethod::Seed, "seed"},
                                       {SolverMethod::Multistep2018, "multistep2018"}});
template <>
inline constexpr auto kWords<ElementChoice> =
    std::to_array<Word<ElementChoice>>({{ElementChoice::Auto, "auto"},
                                        {ElementChoice::P2, "p2"},
                                        {ElementChoice::NodalDilatation, "nodal_dilatation"}});
template <>
inline constexpr auto kWords<PredictorKind> = std::to_array<Word<PredictorKind>>(
    {{PredictorKind::None, "none"},
     {PredictorKind::Previous, "previous"},
     {PredictorKind::Ab2, "ab2"},
     {PredictorKind::Cubic, "cubic"},
     {PredictorKind::DataDriven, "data_driven"},
     {PredictorKind::DataDrivenPublished, "data_driven_published"},
     {PredictorKind::Projection, "projection"}});
template <>
inline constexpr auto kWords<TimeMethod> =
    std::to_array<Word<TimeMethod>>({{TimeMethod::Auto, "auto"},
                                     {TimeMethod::Stepping, "stepping"},
                                     {TimeMethod::Spectrum, "spectrum"}});
template <>
inline constexpr auto kWords<DeviceChoice> = std::to_array<Word<DeviceChoice>>(
    {{DeviceChoice::Auto, "auto"}, {DeviceChoice::Cpu, "cpu"}, {DeviceChoice::Cuda, "cuda"}});
template <>
inline constexpr auto kWords<CheckpointMode> =
    std::to_array<Word<CheckpointMode>>({{CheckpointMode::Auto, "auto"},
                                         {CheckpointMode::Full, "full"},
                                         {CheckpointMode::None, "none"}});
template <>
inline constexpr auto kWords<HistoryKind> =
    std::to_array<Word<HistoryKind>>({{HistoryKind::Step, "step"},
                                      {HistoryKind::Ramp, "ramp"},
                                      {HistoryKind::Steady, "steady"},
                                      {HistoryKind::Exponential, "exponential"},
                                      {HistoryKind::Logarithmic, "logarithmic"},
                                      {HistoryKind::Table, "table"}});

template <class Choice>
[[nodiscard]] std::string text_of(Choice choice) {
    for (const Word<Choice>& word : kWords<Choice>) {
        if (word.choice == choice) {
            return word.text;
        }
    }
    throw Error(ErrorCode::Internal, "a choice has no word");
}

/// Nothing for a text that is none of the words.
template <class Choice>
[[nodiscard]] std::optional<Choice> choice_of(std::string_view text) {
    for (const Word<Choice>& word : kWords<Choice>) {
        if (word.text == text) {
            return word.choice;
        }
    }
    return std::nullopt;
}

}  // namespace kaname::jobs
