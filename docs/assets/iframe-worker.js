// A page from disk may start no worker, and the search of the site runs in one. There, a hidden frame runs its script.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const url = new URL(address, location.href);
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.scope = new Promise((ready, failed) => {
        frame.onload = () => { // Firefox empties the frame once more before this
          const scope = frame.contentWindow;
          const run = (file) => new Promise((done, missing) => {
            const script = scope.document.createElement("script");
            Object.assign(script, { src: new URL(file, url).href, onload: done, onerror: missing });
            scope.document.head.append(script);
          });
          scope.importScripts = (...files) => files.reduce((last, file) => last.then(() => run(file)), Promise.resolve());
          scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          run(url).then(() => ready(scope), failed);
        };
      });
      document.body.append(frame);
    }
    async postMessage(data) {
      const scope = await this.scope;
      scope.dispatchEvent(new MessageEvent("message", { data: scope.structuredClone(data) })); // a worker gets a copy
    }
  };
}
