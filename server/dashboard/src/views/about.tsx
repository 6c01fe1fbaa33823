// SPDX-License-Identifier: BSD-3-Clause
import { Fault, Loading, Panel } from "../widgets/basics";
import { get } from "../api";
import { session, stats } from "../state";
import { useRead } from "../widgets/use";

interface Licence {
  name: string;
  version: string;
  licence: string;
  note: string;
  text: string;
}

export function About() {
  const list = useRead((signal) => get<Licence[]>("./licences.json", signal), []);
  return (
    <>
      <h1>About this page</h1>
      <Panel title="Kaname">
        <p>
          Version {stats.value?.version ?? session.value?.version}. BSD 3-Clause. All that this page shows comes from its
          own server; nothing is fetched from elsewhere.
        </p>
      </Panel>
      <Panel title="What is built into it">
        {list.error ? <Fault error={list.error} again={list.again} /> : null}
        {list.value ? (
          list.value.map((item) => (
            <details key={item.name} class="licence">
              <summary>
                <b>{item.name}</b> {item.version} <span class="quiet">{item.licence}. {item.note}</span>
              </summary>
              <pre>{item.text}</pre>
            </details>
          ))
        ) : (
          <Loading what="licences" />
        )}
      </Panel>
    </>
  );
}
