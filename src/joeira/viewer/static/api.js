// Talking to the service. Errors come as {"error", "cure"} and are thrown as one sentence.

const BASE = "/v1/viewer";
let token = sessionStorage.getItem("joeira-token") ?? "";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function useToken(text) {
  token = text;
  sessionStorage.setItem("joeira-token", text);
}

async function ask(path, options = {}) {
  const headers = { ...options.headers };
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(BASE + path, { ...options, headers });
  } catch {
    throw new Refused(0, "");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    throw new Refused(answer.status, [said.error, said.cure].filter(Boolean).join(": "));
  }
  return said;
}

const query = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString();

export const start = () => ask("/start");
export const look = (id, wish) => ask(`/pages/${encodeURIComponent(id)}?${query(wish)}`);
export const source = (id, row) => ask(`/pages/${encodeURIComponent(id)}/source?row=${row}`);

/** Send a page: bytes as they are, so that the service finds out their encoding; text as UTF-8. */
export function send(page, name) {
  const type = typeof page === "string" ? "text/html; charset=utf-8" : "application/octet-stream";
  const options = { method: "POST", body: page, headers: { "Content-Type": type } };
  return ask(`/pages?${query({ name })}`, options);
}

export const fetchPage = (url) => ask(`/pages?${query({ url, name: url, fetch: 1 })}`, { method: "POST" });

const post = (path, data) =>
  ask(path, { method: "POST", body: JSON.stringify(data), headers: { "Content-Type": "application/json" } });

export const teach = (id, lesson) => post(`/pages/${encodeURIComponent(id)}/marks`, lesson);
export const exportTable = (id, wish) => post(`/pages/${encodeURIComponent(id)}/table`, wish);
export const picture = (id) => ask(`/pages/${encodeURIComponent(id)}/picture`);
