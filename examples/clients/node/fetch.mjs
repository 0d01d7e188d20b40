// The fetch of Node.js, driven by retry-lab audit.
//
//   client   the global fetch (undici) of node, 18 or later; tried with 20.20.2
//   asks     fetch, once: no retry of its own, whatever RETRY_LAB_RETRIES says
//   set      the signal is AbortSignal.timeout of the attempt's time-out or the
//            deadline, whichever is shorter; the body is a Blob, which a redirect
//            can send again as it can a string (with a Buffer 20.20.2 fails)
//   default  all else: redirects are followed, the global connection pool is used
//
// Without undici as a package there is no setting the CA of one request: node
// takes it from NODE_EXTRA_CA_CERTS, which the audit sets, when it starts.
// A proxy is used only where NODE_USE_ENV_PROXY asks for it.
//
// node fetch.mjs makes the request of its environment, --persistent those of
// its standard input, --version says what it is.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

const names = ['url', 'method', 'key', 'body_file', 'body', 'content_type', 'timeout_ms', 'deadline_ms', 'warm_url', 'ca_file']

/** carryOut makes one logical request; its answer is never an exception. */
async function carryOut(order) {
  try {
    if (order.ca_file && order.ca_file !== process.env.NODE_EXTRA_CA_CERTS) {
      throw new Error(`NODE_EXTRA_CA_CERTS is not ${order.ca_file}: node takes a CA only when it starts`)
    }
    if (order.warm_url) {
      const warm = await fetch(order.warm_url)
      await warm.arrayBuffer()
      await pause(60)
    }
    return await finish(await fetch(order.url, await request(order)))
  } catch (error) {
    return { ok: false, status: 0, body: '', error: text(error) }
  }
}

/** request is the second argument of fetch. */
async function request(order) {
  const init = { method: order.method || 'GET', headers: {} }
  if (order.key) init.headers['Idempotency-Key'] = order.key
  if (order.content_type) init.headers['Content-Type'] = order.content_type
  const limits = [order.timeout_ms, order.deadline_ms].map(Number).filter((ms) => ms > 0)
  if (limits.length > 0) init.signal = AbortSignal.timeout(Math.min(...limits))
  const body = order.body_file ? await readFile(order.body_file) : ''
  if (body.length > 0) {
    init.body = new Blob([body])
    if (order.body === 'stream') {
      init.body = Readable.toWeb(createReadStream(order.body_file))
      init.duplex = 'half'
    }
  }
  return init
}

/** finish reads a response to its end; all but a complete 2xx has failed. */
async function finish(response) {
  const { ok, status } = response
  try {
    const body = await response.text()
    return { ok, status, body: ok ? body : '', error: ok ? '' : `answered ${status}` }
  } catch (error) {
    return { ok: false, status, body: '', error: `answered ${status}, then ${text(error)}` }
  }
}

/** text is an error and its causes in one line. */
function text(error) {
  const parts = []
  for (let e = error; e; e = e.cause) parts.push(`${e.name}: ${[e.message, e.code].filter(Boolean).join(' ')}`)
  return parts.join('; ').replace(/\s+/g, ' ')
}

async function once() {
  const order = Object.fromEntries(names.map((name) => [name, process.env[`RETRY_LAB_${name.toUpperCase()}`] ?? '']))
  const answer = await carryOut(order)
  if (answer.ok) process.stdout.write(answer.body)
  else console.error(answer.error)
  process.exitCode = answer.ok ? 0 : 1
}

async function persist() {
  console.log('READY')
  for await (const line of createInterface({ input: process.stdin })) {
    let answer
    try {
      answer = await carryOut(JSON.parse(line))
    } catch (error) {
      answer = { ok: false, status: 0, body: '', error: text(error) }
    }
    console.log(JSON.stringify(answer))
  }
}

switch (process.argv[2]) {
  case undefined:
    await once()
    break
  case '--persistent':
    await persist()
    break
  case '--version':
    console.log(`node ${process.version} fetch, undici ${process.versions.undici}; no retry`)
    break
  default:
    console.error(`unknown argument ${process.argv[2]}: want --persistent, --version or none`)
    process.exitCode = 2
}
