// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/time_function_from_spec.hpp"

namespace kaname::compute {
namespace {

using source_time::TimeFunction;

// exp(-a^2) (1 - 2 a^2) and exp(-a^2/2) are below a thousandth of their largest value from here.
constexpr double kRickerWidths = 1.0, kGaussianWidths = 4.0, kBandWidths = 2.0;

}  // namespace

TimeFunction time_function_of(const v1::TimeFunction& function) {
    const std::string& kind = function.kind();
    const auto centre = [&](double otherwise) {
        return function.has_centre_s() ? function.centre_s() : otherwise;
    };
    if (kind == "ricker") {
        return TimeFunction::ricker(function.frequency_hz(),
                                    centre(kRickerWidths / function.frequency_hz()));
    }
    if (kind == "gaussian") {
        return TimeFunction::gaussian(function.width_s(),
                                      centre(kGaussianWidths * function.width_s()));
    }
    if (kind == "band") {
        return TimeFunction::band(function.from_hz(), function.to_hz(),
                                  centre(kBandWidths / (function.to_hz() - function.from_hz())));
    }
    if (kind == "triangle") {
        return TimeFunction::triangle(function.duration_s(), function.onset_s());
    }
    if (kind == "cosine") {
        return TimeFunction::cosine(function.duration_s(), function.onset_s());
    }
    if (kind == "brune") {
        return TimeFunction::brune(function.tau_s(), function.onset_s());
    }
    if (kind == "yoffe") {
        const double rise_s = function.rise_time_s();
        const double smoothing_s = function.smoothing_s();
        return TimeFunction::yoffe(
            rise_s, smoothing_s > 0.0 ? smoothing_s : source_time::kYoffeSmoothing * rise_s,
            function.onset_s());
    }
    if (kind == "smoothed_step") {
        return TimeFunction::smoothed_step(function.duration_s(), function.onset_s());
    }
    return TimeFunction::table({function.times_s().begin(), function.times_s().end()},
                               {function.values().begin(), function.values().end()});
}

}  // namespace kaname::compute
