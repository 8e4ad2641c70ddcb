import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  oneof,
  string,
  tuple,
  uint8Array,
} from 'fast-check'
import { expect, it } from 'vitest'
import { readMultipart } from '../../../src/lib/multipart.ts'

const bytes = oneof(
  uint8Array({ maxLength: 40 }),
  array(constantFrom(0x0d, 0x0a, 0x2d, 0x62, 0x00), { maxLength: 40 }).map((all) =>
    Uint8Array.from(all),
  ),
)
const name = string({ unit: constantFrom('a', '"', ';', '=', ' ', '%', 'é', '😀') })
const fields = array(tuple(name, bytes), { maxLength: 5 })

it('reads what browsers write, byte for byte', async () => {
  await assert(
    asyncProperty(fields, async (written) => {
      const form = new FormData()
      for (const [key, value] of written) form.append(key, new Blob([value]), 'b\r\n--b"')
      const request = new Response(form)
      const type = request.headers.get('content-type') ?? ''

      const read = readMultipart(new Uint8Array(await request.arrayBuffer()), type)

      expect(read?.map((field) => [field.name, Uint8Array.from(field.value)])).toEqual(written)
    }),
  )
})
