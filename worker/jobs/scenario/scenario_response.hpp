// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "solvers/io/dataset/fields.hpp"
#include "solvers/io/source_file.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/greens/step_response.hpp"

namespace kaname::jobs {

/// Motion at epochs as a sum over the fields of the scenario's sources. The medium is linear, so
/// with the step response U_m of slip model m, events e of model m(e) and scale a_e that begin at
/// t_e with history h_e,
///   u(T) = sum_e a_e int U_m(e)(T - t_e - t') dh_e(t'),
/// and U_m is a sum of stored fields. An event counts at its own time already.
class ScenarioResponse {
public:
    /// Throws InvalidArgument naming an epoch outside the solved range.
    ScenarioResponse(const Scenario& scenario, const Steps& steps, double end_s,
                     std::span<const double> epochs_s);

    /// Returns the weights of the fields for one event: [epochs][result.n_fields()]; zero before it
    /// begins.
    [[nodiscard]] std::vector<double> of_event(std::size_t event,
                                               const io::SourceResult& result) const;
    /// Returns the weights of the fields for all events of a model, of the same shape.
    [[nodiscard]] std::vector<double> of_model(int model, const io::SourceResult& result) const;
    /// Returns the weights for all events of a model that will be solved by time steps:
    /// [epochs][steps].
    [[nodiscard]] std::vector<double> of_model_by_steps(int model) const;

private:
    /// One time that an event happens.
    struct Occurrence {
        std::size_t event;
        std::size_t first_epoch;  ///< the first that is not before it
        StepResponse response;
    };
    template <class Rows>
    [[nodiscard]] std::vector<double> sum(std::size_t n_fields, const Rows& rows,
                                          std::span<const std::size_t> events) const;
    [[nodiscard]] std::vector<std::size_t> events_of(int model) const;

    const Scenario& scenario_;
    std::size_t n_epochs_;
    std::size_t n_steps_;
    std::vector<Occurrence> occurrences_;
};

/// Coulomb stress change (sources/coulomb.hpp) of the volume's stress on the job's receivers: of
/// every element, or at the receiver's place (stress_recovery.hpp). Strikes are from true north at
/// the place, without one at the region's centre. Throws ValidationError naming a receiver outside
/// the model, or with a place where the model has no projection.
void add_receivers(const GreensJob& job, const Domain& domain, const mesh::TetMesh& mesh,
                   io::VolumeDataset& volume);

}  // namespace kaname::jobs
