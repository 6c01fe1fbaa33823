-- SPDX-License-Identifier: BSD-3-Clause
-- $1 kind, $2 value, $3 reason, $4 by whom
insert into drain (kind, value, host, reason, set_by)
values ($1, $2,
        case $1 when 'host' then $2
                else coalesce((select w.host from worker w where $2 = any (w.gpu_uuids)
                               order by w.registered_at desc limit 1), '') end,
        $3, $4)
on conflict (kind, value) do update set reason = excluded.reason, set_by = excluded.set_by
where excluded.reason <> ''
