using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "app", worker = .app),
    (name = "network", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "app")],
);

const app :Workerd.Worker = (
  modules = [(name = "app.js", esModule = embed "app.js")],
  compatibilityDate = "2026-11-01",
  # without it a caller who goes away is not noticed until something is written to it
  compatibilityFlags = ["enable_request_signal"],
  globalOutbound = "network",
  bindings = [
    (name = "UPSTREAM", fromEnvironment = "UPSTREAM"),
    (name = "NOWHERE", fromEnvironment = "NOWHERE"),
    (name = "OPENAI_API_BASE", fromEnvironment = "OPENAI_API_BASE"),
    (name = "OPENAI_API_KEY", fromEnvironment = "OPENAI_API_KEY"),
    (name = "OBJECT", durableObjectNamespace = "AppObject"),
  ],
  durableObjectNamespaces = [(className = "AppObject", uniqueKey = "app")],
  durableObjectStorage = (inMemory = void),
);
