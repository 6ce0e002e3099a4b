/**
 * The worker's half of `io-thread`: owns the pipe or socket, breathes and answers pings by itself, hands every other
 * message to the main thread, and stops reading when that one is too far behind.
 */
import { parentPort, workerData } from "node:worker_threads";

import { asError, InvalidMessage } from "./errors.js";
import type { FromIoThread, IoThreadStart, ToIoThread } from "./io-thread.js";
import { INBOX_FRAMES_MAX } from "./limits.js";
import { LoopLink, Progress } from "./link.js";
import { connect, descriptorTransport } from "./transport.js";

const start = workerData as IoThreadStart;
const tell = (message: FromIoThread): void => parentPort?.postMessage(message);

async function main(): Promise<void> {
  const transport = start.address === undefined ? descriptorTransport() : await connect(start.address);
  const link = new LoopLink(transport, new Progress(start.progress), start.heartbeatMs);
  let ahead = 0;
  parentPort?.on("message", (message: ToIoThread) => {
    if ("frame" in message) {
      void forward(link, message.frame);
    } else if ("handled" in message) {
      ahead -= 1;
      if (ahead === INBOX_FRAMES_MAX - 1) {
        link.setReading(true);
      }
    } else if ("breathe" in message) {
      link.startBreathing();
    } else {
      void link.close().then(() => {
        tell({ closed: true });
        parentPort?.close();
      });
    }
  });
  link.start({
    deliver: (item) => {
      ahead += 1;
      if (ahead === INBOX_FRAMES_MAX) {
        link.setReading(false);
      }
      if (item instanceof InvalidMessage) {
        const { path, problem, words, requestId } = item;
        tell({ invalid: { path, problem, words, requestId } });
      } else {
        tell({ message: item });
      }
    },
    ended: (error) => tell({ ended: error.message }),
  });
  tell({ open: true });
}

async function forward(link: LoopLink, frame: Uint8Array): Promise<void> {
  try {
    link.sendFrame(frame);
    await link.room();
  } catch {
    // the link is over, and `ended` has said so
  }
  tell({ written: frame.length });
}

main().catch((error: unknown) => {
  tell({ ended: asError(error).message });
  parentPort?.close();
});
