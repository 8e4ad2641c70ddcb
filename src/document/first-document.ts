import { randomUUID } from 'node:crypto'

/** The first configuration of a new repository: valid, and in the layout that the original writes. */
export function firstDocument(): Uint8Array<ArrayBuffer> {
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<cruise xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="cruise-config.xsd" schemaVersion="75">',
    `  <server artifactsdir="artifacts" commandRepositoryLocation="default" serverId="${randomUUID()}" />`,
    '</cruise>',
  ]
  return Buffer.from(`${lines.join('\n')}\n\n`)
}
