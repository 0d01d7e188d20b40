// My client must not resend this POST: the server reads it whole and resets the
// connection. A second delivery would be answered 200.
import assert from 'node:assert/strict'

const control = process.env.RETRY_LAB_CONTROL_URL
const call = await (await fetch(`${control}/calls`, { method: 'POST', body: '["reset", "200"]' })).json()

// Your client goes here.
await assert.rejects(fetch(`${call.url}pay`, { method: 'POST', body: '12 euros' }))

// A second delivery ends the wait at once, else 300 ms without one do.
const record = await (await fetch(`${control}/calls/${call.id}?wait=2&quiet_ms=300`)).json()
assert.equal(record.deliveries, 1)
console.log(`delivered ${record.deliveries} time, ended by ${record.ledger[0].ended}`)
