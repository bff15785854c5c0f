// Waiting, and the store's clock.

/** Waits, unless or until the signal is aborted. */
export const sleep = (millis, signal) =>
  new Promise((done) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      done();
    };
    const timer = setTimeout(wake, signal.aborted ? 0 : millis);
    signal.addEventListener("abort", wake);
  });

/** Follows the store's clock from what an instance has just said of it. */
export function storeClock(nowMicros) {
  const asked = performance.now();
  return () => nowMicros + (performance.now() - asked) * 1000;
}
