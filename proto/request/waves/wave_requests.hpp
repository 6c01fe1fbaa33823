// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/kaname/v1/report.pb.h"
#include "proto/kaname/v1/source_time.pb.h"
#include "proto/kaname/v1/waves.pb.h"
#include "proto/request/form/request.hpp"
#include "proto/request/form/rules.hpp"

namespace kaname::request {

/// The kind is one, and just the numbers that belong to it are given and in their range.
void check_time_function(const v1::TimeFunction& function, const std::string& path, Rules& rules);

/// Name of the dataset in a folder of results.
inline constexpr const char* kSeismogramsFile = "seismograms.h5";

/// The message's schema and name.
void check_head(const std::string& schema, const std::string& expected, const std::string& name,
                Rules& rules);

/// A source as tasks know it.
struct WaveTask {
    std::string id, text;  ///< text: canonical, of all that is its own
};
/// A task for each source, four of which can be solved together, and one for the dataset, which
/// gathers them. `version` changes with what is computed of the same request; `shared` is the
/// text of all that every source depends on, `whole` of the request. With `mesh`, its text,
/// there is a task for a mesh before them.
[[nodiscard]] TaskGraph wave_graph(const std::vector<WaveTask>& sources, const std::string& version,
                                   const std::string& shared, const std::string& whole,
                                   const std::string& mesh = {});
/// Times of those verbs.
[[nodiscard]] std::vector<VerbTime> wave_times(const v1::Estimate& estimate);

/// `structure`: its canonical text; `places`: those of sources and receivers.
[[nodiscard]] Description describe_waves(
    const google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers,
    const std::string& structure, std::vector<v1::WavePlace> places);

/// A request of waves, all of whose words are in its message.
template <class Message, TaskGraph (*graph_of)(const Message&)>
class WavesRequest : public Request {
public:
    explicit WavesRequest(Message waves) : waves_(std::move(waves)) {}

    [[nodiscard]] const Message& message() const override { return waves_; }
    [[nodiscard]] const std::string& name() const override { return waves_.name(); }
    [[nodiscard]] TaskGraph graph() const override { return graph_of(waves_); }
    [[nodiscard]] std::vector<VerbTime> times(const v1::Estimate& estimate) const override {
        return wave_times(estimate);
    }

protected:
    const Message waves_;
};

/// Ids of sources or receivers: 1 to 100,000 of them, each of letters, digits, '_', '.' and '-',
/// and each once. `name` is the list's field.
void check_wave_ids(const std::vector<std::string>& ids, const std::string& name, Rules& rules);

template <class List>
void check_wave_ids(const List& list, const std::string& name, Rules& rules) {
    std::vector<std::string> ids;
    for (const auto& entry : list) {
        ids.push_back(entry.id());
    }
    check_wave_ids(ids, name, rules);
}

enum class Height {
    Given,  ///< a place by x and y has its z
    Ground  ///< without z it is on the ground, as one by longitude and latitude without depth is
};

/// The place is one by x, y, z or, with `globe`, by longitude and latitude.
void check_place(const v1::WavePlace& place, const std::string& path, bool globe, Rules& rules,
                 Height height = Height::Given);

/// Checks a slip model at `path`, which stands on the globe and begins before the run ends.
void check_slip_model(const v1::KinematicRupture& rupture, const std::string& path, bool has_region,
                      double end_s, Rules& rules);

/// Returns true if any component is not 0.
[[nodiscard]] bool has_force(const v1::PointForce& force);
[[nodiscard]] bool has_moment(const v1::MomentTensor& moment);

inline constexpr int kMostSnapshots = 10000;
/// Times of snapshots: so many of them at most, increasing, within 0 to the end.
void check_snapshots(const google::protobuf::RepeatedField<double>& times_s,
                     const std::string& name, double end_s, Rules& rules);

}  // namespace kaname::request
