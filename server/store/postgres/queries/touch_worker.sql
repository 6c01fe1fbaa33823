-- SPDX-License-Identifier: BSD-3-Clause
update worker set heartbeat_at = store_now()
where worker_id = $1 and not lost
returning draining,
          coalesce((select c.reason from gpu_cordon c where c.gpu_uuid = any (worker.gpu_uuids)
                    order by c.gpu_uuid limit 1), '')
