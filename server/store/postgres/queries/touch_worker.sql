-- SPDX-License-Identifier: BSD-3-Clause
update worker w set heartbeat_at = store_now()
where w.worker_id = $1 and not w.lost
returning w.draining or exists (select from drain d
                               where (d.kind = 'host' and d.value = w.host)
                                  or (d.kind = 'gpu' and d.value = any (w.gpu_uuids))),
          coalesce((select cordon_text(c) from cordon c
                    where (c.kind = 'gpu' and c.value = any (w.gpu_uuids))
                       or (c.kind = 'host' and c.value = w.host)
                       or (c.kind = 'worker' and c.value = w.worker_id)
                    order by c.kind, c.value limit 1), '')
