-- SPDX-License-Identifier: BSD-3-Clause
-- $1 kind, $2 value
insert into drain (kind, value, host)
values ($1, $2,
        case $1 when 'host' then $2
                else coalesce((select w.host from worker w where $2 = any (w.gpu_uuids)
                               order by w.registered_at desc limit 1), '') end)
on conflict do nothing
