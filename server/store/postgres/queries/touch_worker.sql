-- SPDX-License-Identifier: BSD-3-Clause
update worker w set heartbeat_at = store_now()
where w.worker_id = $1 and not w.lost
returning w.draining or exists (select from drain d
                               where (d.kind = 'host' and d.value = w.host)
                                  or (d.kind = 'gpu' and d.value = any (w.gpu_uuids))),
          coalesce((select c.reason from gpu_cordon c where c.gpu_uuid = any (w.gpu_uuids)
                    order by c.gpu_uuid limit 1), '')
