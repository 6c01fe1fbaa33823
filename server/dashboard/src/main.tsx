// SPDX-License-Identifier: BSD-3-Clause
import { render } from "preact";

import { App } from "./app";
import { start_router } from "./router";
import { start_session } from "./state";
import { start_theme } from "./theme";

start_theme();
const session = start_session();
start_router();
render(<App />, document.getElementById("page")!);
void session;
