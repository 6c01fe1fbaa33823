// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/admin_service.pb.h"
#include "server/service/context.hpp"
#include "server/service/stream/calls.hpp"

namespace kaname::service {

/// Workers and GPUs for people who run the service.
class Admin {
public:
    explicit Admin(Context& context) : context_(context) {}

    void list_workers(const v1::ListWorkersRequest& request, v1::ListWorkersResponse& reply);
    void drain_worker(const v1::DrainWorkerRequest& request, const auth::Principal& caller,
                      v1::Worker& reply);
    void uncordon_gpu(const v1::UncordonGpuRequest& request, const auth::Principal& caller);
    void set_drain(const v1::SetDrainRequest& request, const auth::Principal& caller);
    void list_drains(const v1::ListDrainsRequest& request, v1::ListDrainsResponse& reply);
    void set_cordon(const v1::SetCordonRequest& request, const auth::Principal& caller);
    void list_cordons(const v1::ListCordonsRequest& request, v1::ListCordonsResponse& reply);
    void list_gpu_history(const v1::ListGpuHistoryRequest& request,
                          v1::ListGpuHistoryResponse& reply);
    void list_backups(const v1::ListBackupsRequest& request, v1::ListBackupsResponse& reply);
    void set_quota(const v1::SetQuotaRequest& request, const auth::Principal& caller,
                   v1::Quota& reply);
    void list_quotas(const v1::ListQuotasRequest& request, v1::ListQuotasResponse& reply);
    void get_stats(v1::Stats& reply);  // stats.cpp
    void collect_garbage(const v1::CollectGarbageRequest& request, const auth::Principal& caller,
                         v1::CollectGarbageResponse& reply);

private:
    v1::Quota to_message(const store::OwnerQuota& quota);

    Context& context_;
};

}  // namespace kaname::service
