// How long a test waits for what is to appear: a busy machine takes any time, and none of them measures it.
import { configure } from "@testing-library/react";

configure({ asyncUtilTimeout: 15_000 });
