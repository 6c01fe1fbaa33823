// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/near_field.hpp"

#include <algorithm>
#include <limits>

#include "solvers/base/predicted_error.hpp"
#include "solvers/base/text.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/ader_dg/wave_resolution.hpp"

namespace kaname::jobs {
namespace {

/// Size of elements at a moment source over the size that waves need.
constexpr double kFineShare = 0.5;

double wavelength_m(const SeismicJob& job, const MomentPlace& source) {
    return source.slowest_m_per_s / job.mesh.max_frequency_hz;
}

}  // namespace

std::vector<MomentPlace> moment_places(const SeismicJob& job, const SeismicMeshPlan& plan) {
    std::vector<MomentPlace> sources;
    for (const SeismicJob::Source& source : job.sources) {
        const bool moment = !source.rupture && std::ranges::any_of(source.moment_nm, [](double m) {
            return m != 0.0;
        });
        if (!moment || !job.method_note.empty()) {
            continue;
        }
        const Vec3 at_m = wanted_place(job, source.at, "", source.field).at_m;
        if (const earth::Material* material = plan.material_at(at_m)) {
            sources.push_back({source.id, at_m, slowest_m_per_s(*material)});
        }
    }
    return sources;
}

ReceiverPlaces receiver_places(const SeismicJob& job) {
    ReceiverPlaces receivers;
    for (const WaveReceiver& receiver : job.receivers) {
        receivers.emplace_back(receiver.id,
                               wanted_place(job, receiver.at, "", receiver.field).at_m);
    }
    return receivers;
}

std::optional<std::string> near_receivers(const SeismicJob& job,
                                          const std::vector<MomentPlace>& sources,
                                          const ReceiverPlaces& receivers) {
    const double near = resolved_from(job.mesh.order);
    constexpr std::size_t kNamed = 4;
    std::string names;
    std::size_t n = 0;
    for (const auto& [id, at_m] : receivers) {
        for (const MomentPlace& source : sources) {
            const double apart_m = norm(at_m - source.at_m);
            const double least_m = near * wavelength_m(job, source);
            if (apart_m >= least_m) {
                continue;
            }
            if (n < kNamed) {
                names += (n == 0 ? "" : ", ") + id + " (" + formatted("%.3g m", apart_m) +
                         " from " + source.id + ", " + formatted("%.3g m", least_m) + " would do)";
            }
            ++n;
            break;
        }
    }
    if (n == 0) {
        return std::nullopt;
    }
    return "receivers nearer to a moment source than " + formatted("%.2g", near) +
           " of the shortest S wavelength are not resolved: " + names +
           (n > kNamed ? " and " + std::to_string(n - kNamed) + " more" : "") +
           "; a higher mesh.max_frequency_hz resolves them";
}

std::optional<SeismicMeshRequest> fitted_to_sources(const SeismicJob& job,
                                                    const SeismicMeshPlan& plan) {
    const std::vector<MomentPlace> sources = moment_places(job, plan);
    if (sources.empty() || sources.size() > kMostFittedSources ||
        std::holds_alternative<MeshOfOnesOwn>(job.mesh.model)) {
        return std::nullopt;
    }
    SeismicMeshRequest fitted = job.mesh;
    double fine_m = std::numeric_limits<double>::infinity();
    const auto add_fine = [&](const MomentPlace& source, const Vec3& at_m) {
        const double element_m = wavelength_m(job, source) / job.mesh.wanted_per_wavelength();
        fine_m = std::min(fine_m, size_for_edge_m(kFineShare * element_m));
        fitted.fine_at.push_back(at_m);
    };
    if (smaller_at_moment_sources(job.mesh.order, job.mesh.wanted_per_wavelength())) {
        for (const MomentPlace& source : sources) {
            add_fine(source, source.at_m);
        }
    }
    if (job.mesh.order == kOrderFittedToReceivers) {
        const ReceiverPlaces receivers = receiver_places(job);
        for (const MomentPlace& source : sources) {
            const double reach_m =
                kFittedReceivers * resolved_from(job.mesh.order) * wavelength_m(job, source);
            for (const auto& [id, at_m] : receivers) {
                if (norm(at_m - source.at_m) >= reach_m) {
                    continue;
                }
                // Along the way, and beyond both ends.
                for (const double along : {-0.5, 0.0, 0.5, 1.0, 1.5}) {
                    add_fine(source, source.at_m + along * (at_m - source.at_m));
                }
            }
        }
    }
    if (fitted.fine_at.size() == job.mesh.fine_at.size()) {
        return std::nullopt;
    }
    fitted.fine_size_m = fitted.fine_size_m > 0.0 ? std::min(fine_m, fitted.fine_size_m) : fine_m;
    return fitted;
}

}  // namespace kaname::jobs
