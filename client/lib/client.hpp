// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "proto/kaname/v1/admin_service.pb.h"
#include "proto/kaname/v1/artifacts_service.pb.h"
#include "proto/kaname/v1/campaigns_service.pb.h"
#include "proto/kaname/v1/datasets_service.pb.h"
#include "proto/kaname/v1/greens_service.pb.h"
#include "proto/kaname/v1/jobs_service.pb.h"

namespace kaname::client {

/// Where a server is and what it knows the caller by.
struct Endpoint {
    std::string address;  ///< host:port, or unix:/path
    std::string token;
    std::string origin;  ///< where this was found, for messages
    /// PEM texts: who vouches for the server, and what this client shows it.
    std::string ca = {}, certificate = {}, key = {};
    std::optional<uid_t> owner = {};  ///< of client.json: who may be the server's user
};

/// The state folder of this user's server: `wanted`, else KANAME_STATE, else
/// $XDG_STATE_HOME/kaname, else ~/.local/state/kaname; for root /var/lib/kaname, which the
/// database's user can reach.
[[nodiscard]] std::filesystem::path state_folder(const std::string& wanted);

/// Reads client.json, which the server of a state folder wrote; nothing if there is no such file.
/// Throws PermissionDenied when it or its folder is another user's, or others may write to it.
[[nodiscard]] std::optional<Endpoint> recorded_endpoint(const std::filesystem::path& state);

/// Returns the address at which that server is reached over a network, as it wrote it; empty if it
/// is not.
[[nodiscard]] std::string recorded_listen(const std::filesystem::path& state);

/// `server` and `token` where given, else KANAME_SERVER and KANAME_TOKEN, else what the server of
/// the state folder wrote to client.json. Throws Unavailable when there is no such file.
/// A server that is reached over TLS is known by `ca`, else KANAME_CA (PEM files), else the
/// certificate in client.json, and is shown KANAME_CERT with KANAME_KEY. Throws NotFound for a PEM
/// file that cannot be read.
[[nodiscard]] Endpoint find_endpoint(const std::string& server, const std::string& token,
                                     const std::filesystem::path& state,
                                     const std::string& ca = "");

struct ClientOptions {
    /// Called after every message and a few times per second while a call waits; what it throws
    /// leaves the call, which is cancelled.
    std::function<void()> check = {};
    /// True when `check` would throw: asked from another thread.
    std::function<bool()> cancelled = {};
    /// Attempts at a call that the server or the network cannot take; 0.2 s apart, then doubling.
    int tries = 4;
};

/// How far a transfer is: bytes done, of all.
using OnBytes = std::function<void(std::int64_t done, std::int64_t total)>;

struct Downloaded {
    std::int64_t bytes = 0;
    std::int64_t resumed_from = 0;  ///< bytes that were there from an earlier attempt
};

/// A Kaname server. Every call may be repeated and is, while the server cannot be reached; then it
/// throws Unavailable saying how to start one. Other errors are those of the server (Error,
/// ValidationError with field paths). Not for several threads.
class Client {
public:
    explicit Client(Endpoint endpoint, ClientOptions options = {});
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    [[nodiscard]] const Endpoint& endpoint() const;
    /// Returns true if the server answers and takes work; never throws for a server that is away.
    [[nodiscard]] bool serving();

    /// Uploads a file unless the server has it; a broken upload goes on where it ended.
    void upload(const std::string& path, const std::string& sha256, const OnBytes& on_bytes);
    /// A request of any kind that the server knows, with the sha256 of each file, all of them
    /// uploaded. `request_id`: a UUID, the same for repetitions of one wish.
    v1::Job submit(const google::protobuf::Message& specification, const std::string& request_id,
                   int priority, bool validate_only);

    v1::Job get_job(const std::string& id);
    v1::ListJobsResponse list_jobs(const std::string& filter, int page_size,
                                   const std::string& page_token);
    std::vector<v1::Item> list_items(const std::string& job_id);
    v1::Job cancel_job(const std::string& id);
    v1::Job retry_job(const std::string& id);
    void delete_job(const std::string& id, const std::string& etag);
    /// Until the job has ended, over lost connections and restarts of the server.
    void watch_job(const std::string& id,
                   const std::function<void(const v1::JobUpdate&)>& on_update);
    void tail_logs(const std::string& id, const std::string& label, bool follow,
                   const std::function<void(const std::string&)>& on_text);
    /// Every finished source as soon as it is there, over lost connections.
    void stream_results(const std::string& job_id, const std::string& resume_token,
                        const std::function<void(const v1::GreensResult&)>& on_result);
    v1::ReadSliceResponse::Shape read_slice(
        const v1::ReadSliceRequest& request,
        const std::function<void(std::int64_t first, const std::vector<double>&)>& on_values);
    /// Motion for other rheologies than a dataset's (docs/user/earth.md): the parts with values,
    /// in the order of the request's rheologies; the last of each has its error.
    void answer(const v1::AnswerRequest& request,
                const std::function<void(const v1::AnswerAxes&, const v1::AnswerResult&)>& on_part);

    /// Members have requests whose files are uploaded, as for submit(); they are sent in
    /// messages of at most 1 MiB. `header` names a campaign where it is one to extend.
    v1::Campaign send_campaign(const v1::CreateCampaignRequest::Header& header,
                               const std::vector<v1::CampaignMember>& members);
    v1::Campaign get_campaign(const std::string& id);
    v1::ListCampaignsResponse list_campaigns(const std::string& filter, int page_size,
                                             const std::string& page_token);
    /// All of them, in their order. `filter`: empty or `state = "failed"`.
    std::vector<v1::CampaignMember> list_members(const std::string& id, const std::string& filter);
    /// Until the campaign has ended, over lost connections and restarts of the server.
    void watch_campaign(const std::string& id,
                        const std::function<void(const v1::Campaign&)>& on_change);
    v1::Campaign pause_campaign(const std::string& id);
    v1::Campaign resume_campaign(const std::string& id);
    v1::Campaign cancel_campaign(const std::string& id);
    v1::Campaign retry_campaign(const std::string& id);
    v1::Campaign set_campaign_limits(const std::string& id, const v1::CampaignLimits& limits);
    void delete_campaign(const std::string& id, const std::string& etag, bool jobs);

    v1::Dataset get_dataset(const std::string& job_id, bool allow_partial);
    v1::ListDatasetsResponse list_datasets(const v1::ListDatasetsRequest& request);
    v1::Dataset update_dataset(const v1::UpdateDatasetRequest& request);
    v1::Dataset delete_dataset(const v1::DeleteDatasetRequest& request);
    /// Not repeated: what a lost answer told is gone.
    v1::RetainDatasetsResponse retain_datasets(const v1::RetainDatasetsRequest& request);
    /// Downloads to `part`, which an earlier attempt may have left: it is continued when it belongs
    /// to this artifact. The file is whole and on disk in the end, for the caller to put where it
    /// belongs. Throws DataLoss when the bytes have another hash; nothing is left then.
    Downloaded download(const std::string& sha256, const std::string& part,
                        const OnBytes& on_bytes);

    std::vector<v1::Worker> list_workers();
    /// Worker jobs of batch systems that have not ended, or did within the hour.
    std::vector<v1::Dispatch> list_dispatches();
    v1::Worker drain_worker(const std::string& id, bool release = false,
                            const std::string& reason = {});
    void set_drain(const v1::Drain& drain, bool release);
    std::vector<v1::Drain> list_drains();
    void set_cordon(const v1::Cordon& cordon, bool release);
    std::vector<v1::Cordon> list_cordons();
    std::vector<v1::Backup> list_backups();
    v1::Quota set_quota(const v1::SetQuotaRequest& request);
    std::vector<v1::Quota> list_quotas();
    v1::Stats stats();
    /// Returns what was deleted, or would be with `dry_run`. The call is not repeated: a sweep may
    /// take long.
    v1::CollectGarbageResponse collect_garbage(bool dry_run);

    /// Where an answer is lost, the token that it had is ended by the repetition.
    v1::MakeTokenResponse make_token(const v1::MakeTokenRequest& request);
    std::vector<v1::Token> list_tokens();
    v1::Token revoke_token(const std::string& id_or_name);
    /// Makes a code that logs a browser in once, within a minute, as whoever has this token. Throws
    /// NotReady where the server has no page.
    std::string make_login_code();
    /// The newest `limit` of those that `filter` wants, newest first.
    std::vector<v1::AuditEvent> list_audit_events(int limit,
                                                  const v1::ListAuditEventsRequest& filter = {});

    struct Parts;

private:
    std::unique_ptr<Parts> parts_;
};

}  // namespace kaname::client
