import { BlockList, isIP } from 'node:net'

/**
 * IP addresses, and networks such as `10.0.0.0/8`, however they are written: `::1` is
 * `0:0:0:0:0:0:0:1`, and `::ffff:127.0.0.1` is `127.0.0.1`.
 */
export class AddressList {
  readonly #list = new BlockList()
  readonly #isEmpty: boolean

  /** @param texts Each of them {@link isAddressOrNetwork}. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const { address, family, length } = parseNetwork(text)
      this.#list.addSubnet(address, length, family)
    }
    this.#isEmpty = texts.length === 0
  }

  has(address: string): boolean {
    return !this.#isEmpty && this.#list.check(address, familyOf(address))
  }
}

/** Whether a text is an IP address, or a network with the length of its prefix. */
export function isAddressOrNetwork(text: string): boolean {
  const { address, family, length } = parseNetwork(text)
  return isIP(address) > 0 && length <= LONGEST[family]
}

const LONGEST = { ipv4: 32, ipv6: 128 }

/** An address is the network that has it alone. The length is not a number where it is not written as one. */
function parseNetwork(text: string) {
  const [, address = text, digits] = /^(.*)\/(.*)$/.exec(text) ?? []
  const family = familyOf(address)
  if (digits === undefined) return { address, family, length: LONGEST[family] }
  return { address, family, length: /^\d+$/.test(digits) ? Number(digits) : NaN }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
