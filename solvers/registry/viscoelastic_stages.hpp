// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/registry/setup.hpp"
#include "solvers/registry/stages.hpp"

namespace kaname::registry {

/// Quasi-static Maxwell viscoelasticity: solvers/viscoelastic behind the verbs.
class ViscoelasticStages final : public Stages {
public:
    [[nodiscard]] Preflight preflight(const GreensJob& job, int threads) const override;
    std::string mesh(const GreensJob& job, const std::string& mesh_path,
                     const MeshProgress& progress) const override;
    SolveSummary solve(const GreensJob& job, const std::string& mesh_path,
                       const std::string& work_dir, comm::Comm& comm,
                       const std::function<void(const SolveProgress&)>& progress) const override;
    std::unique_ptr<SolveSession> open(const GreensJob& job, const std::string& mesh_path,
                                       const std::string& work_dir,
                                       comm::Comm& comm) const override;
    PackageSummary package(const GreensJob& job, const std::string& mesh_path,
                           const SourceFiles& files, bool only_these,
                           const std::string& dataset_path) const override;
    SourceFiles find_results(const GreensJob& job, const std::string& work_dir) const override;
};

/// Uniform steps: dt_s = end / n_steps, n_steps 0 when nothing relaxes.
struct Steps {
    double dt_s = 0.0;
    int n = 0;
    double shortest_maxwell_time_s = 0.0;  ///< 0: all elastic
};
/// A requested step is shortened so that a whole number of them ends at time.end_s.
[[nodiscard]] Steps time_steps(const GreensJob& job);

/// Where a source's result lies in the work folder, and what it must have been made from.
[[nodiscard]] std::string source_path(const std::string& work_dir, const std::string& source_id);
[[nodiscard]] std::string source_key(const GreensJob& job, const std::string& mesh_hash,
                                     const std::string& source_id);

/// Seconds that one CG iteration (V-cycle or block Jacobi) takes per degree of freedom for four
/// sources, measured on a small lattice with the given number of threads.
[[nodiscard]] double seconds_per_dof_iteration(const GreensJob& job, int threads);

}  // namespace kaname::registry
