'use strict'
// Loaded into a server before everything else: the ports of other servers lead to lines that it alone has.
const { Socket } = require('node:net')
const lines = JSON.parse(process.env.OWN_LINES)
const connect = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect').value
const through = (to) => (lines[to?.port] ? { ...to, port: lines[to.port] } : to)
Socket.prototype.connect = function (to, ...rest) {
  // Node calls this with an array that it has made of what was given.
  if (Array.isArray(to)) to[0] = through(to[0])
  return connect.call(this, Array.isArray(to) ? to : through(to), ...rest)
}
