// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/fault_record.hpp"

#include <algorithm>
#include <limits>

namespace kaname::aderdg {

FaultRecord::FaultRecord(const rupture::FaultSetup& setup, const rupture::FaultRule& rule,
                         std::span<const rupture::FaultFaceShape> faces)
    : interval_s_(setup.interval_s), padded_(rule.padded()) {
    first_.push_back(0);
    for (std::size_t k = 0; k < faces.size(); ++k) {
        for (std::size_t r = 0; r < setup.receivers.size(); ++r) {
            const rupture::FaultReceiver& wanted = setup.receivers[r];
            if (wanted.face != faces[k].face) {
                continue;
            }
            Receiver receiver;
            receiver.face = static_cast<std::int64_t>(k);
            double least = std::numeric_limits<double>::infinity();
            for (int p = 0; p < rule.n_points(); ++p) {
                Vec3 x;
                for (int v = 0; v < 3; ++v) {
                    x += rule.points[p][v] * faces[k].corners_m[v];
                }
                if (norm(x - wanted.at_m) < least) {
                    least = norm(x - wanted.at_m);
                    receiver.point = p;
                }
            }
            receivers_.push_back(receiver);
            numbers_.push_back(static_cast<std::int64_t>(r));
        }
        first_.push_back(static_cast<std::int32_t>(receivers_.size()));
    }
}

FaultRecord::Values FaultRecord::values_of(const Receiver& receiver, const double* kept) const {
    Values values{};
    for (int c = 0; c < kFaultNumbers; ++c) {
        values[c] = kept[kFields[c] * padded_ + receiver.point];
    }
    return values;
}

void FaultRecord::add(std::int64_t face, double t_s, const double* kept) {
    for (std::int32_t r = first_[face]; r < first_[face + 1]; ++r) {
        add_to(r, t_s, values_of(receivers_[r], kept));
    }
}

void FaultRecord::add_to(std::int64_t number, double t_s, const Values& now) {
    Receiver& receiver = receivers_[number];
    for (;;) {
        const double sample_s =
            interval_s_ * static_cast<double>(taken_ + std::ssize(receiver.samples));
        if (sample_s > t_s) {
            break;
        }
        const double x = (sample_s - receiver.t_s) / (t_s - receiver.t_s);
        Values at{};
        for (int c = 0; c < kFaultNumbers; ++c) {
            at[c] = (1.0 - x) * receiver.last[c] + x * now[c];
        }
        receiver.samples.push_back(at);
    }
    receiver.t_s = t_s;
    receiver.last = now;
}

std::vector<float> FaultRecord::take(double until_s) {
    constexpr double kWhole = 1e-9;
    const auto n = static_cast<std::int64_t>(until_s / interval_s_ * (1.0 + kWhole)) + 1 - taken_;
    std::vector<float> samples;
    for (std::int64_t s = 0; s < n; ++s) {
        for (const Receiver& receiver : receivers_) {
            // A sample at until_s itself may be missed by rounding.
            const Values& at =
                s < std::ssize(receiver.samples) ? receiver.samples[s] : receiver.last;
            samples.insert(samples.end(), at.begin(), at.end());
        }
    }
    for (Receiver& receiver : receivers_) {
        const auto gone = std::min<std::int64_t>(n, std::ssize(receiver.samples));
        receiver.samples.erase(receiver.samples.begin(), receiver.samples.begin() + gone);
    }
    taken_ += n;
    return samples;
}

void FaultRecord::resume(std::int64_t samples, double t_s,
                         const std::function<std::vector<double>(std::int64_t face)>& kept) {
    taken_ = samples;
    for (Receiver& receiver : receivers_) {
        receiver.samples.clear();
        receiver.t_s = t_s;
        receiver.last = values_of(receiver, kept(receiver.face).data());
    }
}

}  // namespace kaname::aderdg
