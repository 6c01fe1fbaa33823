// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "worker/jobs/ader_dg/seismic_package.hpp"
#include "worker/jobs/frame/kind.hpp"

namespace kaname::compute {

/// Waves on tetrahedra: preflight, mesh, solve, package, read.
[[nodiscard]] const Kind& seismic_waves_kind();

/// Verbs that waves of given sources and of ruptures have in common.

/// The label of the mesh's task, under which later stages find its file.
inline constexpr const char* kMeshInput = "mesh";

/// Reports what was found with times. Throws ValidationError with its violations. Returns the exit
/// code, as those below do.
int report_preflight(const jobs::SeismicJob& job, const jobs::SeismicPreflight& found,
                     Runtime& runtime);

/// Makes a mesh by `mesh` and reports it.
int make_mesh(const Call& call, Runtime& runtime,
              const std::function<jobs::MeshSummary(const jobs::MeshProgress&)>& mesh);

using OpenSession = std::function<std::unique_ptr<jobs::SeismicSession>(
    const std::string& mesh_path, const std::string& work_dir, comm::Comm& comm)>;
/// Solves all sources of the job, or with --serve those that are asked for. `job` gets its
/// placement before the session is opened.
int solve_seismic(jobs::SeismicJob& job, const OpenSession& open, const Call& call,
                  Runtime& runtime);

}  // namespace kaname::compute
