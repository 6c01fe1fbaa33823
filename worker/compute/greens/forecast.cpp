// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/forecast.hpp"

namespace kaname::compute {
namespace {

constexpr double kWorthNoting_s = 1.0;

std::string speed_key(const jobs::Stages& stages, const jobs::GreensJob& job, int threads) {
    return stages.speed_key(job) + '@' + std::to_string(threads);
}

}  // namespace

Forecast forecast(const jobs::Stages& stages, const jobs::GreensJob& job,
                  const jobs::Preflight& found, int threads, SpeedBook& book) {
    const jobs::Speed speed = book.find_or_measure(speed_key(stages, job, threads),
                                                   [&] { return stages.measure_speed(job); });
    const jobs::JobCosts costs = stages.costs(job, found.size(), speed);
    double most = 0.0, total = 0.0;
    const auto of = [&](const jobs::StageCost& cost, double times) {
        const SpeedBook::Past past = book.past(cost.key);
        const double seconds = cost.seconds * past.factor;
        total += times * seconds;
        most += times * seconds * past.spread;
        return seconds;
    };
    Forecast times{of(costs.mesh, 1.0), of(costs.setup, 1.0),
                   of(costs.pack, static_cast<double>(found.packs)), of(costs.package, 1.0)};
    times.spread = most / total;
    return times;
}

void note_time(const jobs::Stages& stages, const jobs::GreensJob& job, const jobs::JobSize& size,
               int threads, jobs::StageCost jobs::JobCosts::*stage, double seconds,
               SpeedBook& book) {
    const auto speed = book.find(speed_key(stages, job, threads));
    if (!speed) {
        return;
    }
    const jobs::JobCosts costs = stages.costs(job, size, *speed);
    const jobs::StageCost& cost = costs.*stage;
    if (cost.seconds >= kWorthNoting_s) {
        book.record(cost.key, seconds / cost.seconds);
    }
}

}  // namespace kaname::compute
