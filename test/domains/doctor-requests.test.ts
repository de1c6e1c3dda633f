// T01 to T03 in the lab: DNS is correct, and at our address there is no response, or another server's.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../lab/web/web-servers.ts'
import { doctorInLab, target } from './doctor-in-lab.ts'

const doctor = doctorInLab({ hasServer: false })

/** Starts a server at our address for one test. */
async function standing(answer: (asked: IncomingMessage, response: ServerResponse) => void) {
  const { topology } = doctor.lab
  const server = await listen(topology.server, topology.ports.http, answer)
  onTestFinished(() => server.close())
}

async function checked() {
  const zone = doctor.buy().put('docs', 'CNAME', target)
  return await doctor.check(`docs.${zone.name}`)
}

test('T01: the port is closed', async () => {
  const seen = await checked()
  expect(seen.judged.result).toBe('ok')
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy1.example points to us, but has problems to fix

    ✗ T01 Port 80 of 127.0.0.1 does not answer
       A request failed: the connection was refused. The certificate authority uses this port.
       → The operator of docs.animal-store.test has to let port 80 through the firewall for everyone. Redirects are fine.
    "
  `)
})

test('T01: the connection opens without a response', async () => {
  await standing(() => {})
  expect((await checked()).text).toMatchInlineSnapshot(`
    "docs.mossy2.example points to us, but has problems to fix

    ✗ T01 Port 80 of 127.0.0.1 does not answer
       A request failed: no response within 2.5 s. The certificate authority uses this port.
       → The operator of docs.animal-store.test has to let port 80 through the firewall for everyone. Redirects are fine.
    "
  `)
})

test('T01: the connection is cut', async () => {
  await standing((asked) => asked.socket.destroy())
  expect((await checked()).text).toContain('A request failed: the connection was closed.')
})

test('T02: a redirect loop', async () => {
  await standing(({ headers, url }, response) => {
    response.writeHead(301, { location: `http://${headers.host}${url}` }).end()
  })
  expect((await checked()).text).toMatchInlineSnapshot(`
    "docs.mossy4.example points to us, but has problems to fix

    ✗ T02 docs.mossy4.example redirects in a loop
       127.0.0.1 sends the request back to http://docs.mossy4.example/.well-known/animal-store/…. A proxy that talks plain HTTP to us ("flexible" TLS) does that, or your own redirect rule.
       → Set the TLS mode of the proxy to "Full (strict)", or remove the redirect rule.
    "
  `)
})

test('T03: a 404 of another server', async () => {
  await standing((_, response) => {
    response.writeHead(404, { server: 'nginx/1.22.1' }).end('<h1>404 Not Found</h1>')
  })
  expect((await checked()).text).toMatchInlineSnapshot(`
    "docs.mossy5.example points to us, but has problems to fix

    ✗ T03 Another server answers for docs.mossy5.example
       127.0.0.1 answered 404 instead of our file. It identifies itself as "nginx/1.22.1".
       → Let the proxy or firewall in front of us forward /.well-known/, or remove it.
    "
  `)
})

test('T03: a page of an unknown server', async () => {
  await standing((_, response) => {
    response.writeHead(200).end('<h1>Welcome</h1>')
  })
  expect((await checked()).text).toMatchInlineSnapshot(`
    "docs.mossy6.example points to us, but has problems to fix

    ✗ T03 Another server answers for docs.mossy6.example
       127.0.0.1 answered 200 instead of our file. It does not identify itself.
       → Let the proxy or firewall in front of us forward /.well-known/, or remove it.
    "
  `)
})

test('T03: a redirect to another host', async () => {
  await standing((_, response) => {
    response.writeHead(302, { location: 'https://parking.example/' }).end()
  })
  expect((await checked()).text).toMatchInlineSnapshot(`
    "docs.mossy7.example points to us, but has problems to fix

    ✗ T03 Another server answers for docs.mossy7.example
       127.0.0.1 answered 302 (a redirect to https://parking.example/) instead of our file. It does not identify itself.
       → Let the proxy or firewall in front of us forward /.well-known/, or remove it.
    "
  `)
})
