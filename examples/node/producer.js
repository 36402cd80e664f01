// Send records to prae-filter. In this directory, once: npm install
//
//     prae-filter --in=pull:@ipc:///tmp/in -o clean.msgpack -O odd.msgpack &
//     node producer.js push:ipc:///tmp/in 10000
//
// Places are written as prae-filter writes them: push:, then the endpoint,
// with @ before it to bind. A number of records may follow, and a topic.
'use strict';

const { encode } = require('@msgpack/msgpack');
const zmq = require('zeromq');

const PER_MESSAGE = 64; // many small messages cost more than one large

// A pump's readings. One in a hundred breaks what holds between them.
function makeRecord(number) {
    const noise = () => Math.random() + Math.random() - 1;
    const flow = 200 + 40 * Math.sin(number / 300) + 3 * noise();
    const wrong = Math.random() < 0.01; // psi for bar
    return {
        id: number,
        flow_lpm: flow,
        pressure_bar: (5 - flow / 100 + 0.05 * noise()) * (wrong ? 14.5 : 1),
        current_A: flow / 40 + 0.1 * noise(),
    };
}

async function main(place, count = 10000, topic = undefined) {
    const endpoint = place.replace(/^push:/, '');
    const socket = new zmq.Push();
    if (endpoint.startsWith('@'))
        await socket.bind(endpoint.slice(1));
    else
        socket.connect(endpoint);
    for (let first = 0; first < count; first += PER_MESSAGE) {
        const records = [];
        for (let i = first; i < Math.min(first + PER_MESSAGE, count); i++)
            records.push(encode(makeRecord(i)));
        const payload = Buffer.concat(records);
        // Waits while the filter is busy: nothing is dropped.
        await socket.send(topic === undefined ? payload : [topic, payload]);
    }
    socket.linger = -1; // all of it is sent before the process ends
    socket.close();
    console.log(`sent ${count} records`);
}

main(process.argv[2], ...process.argv.slice(3, 4).map(Number),
    ...process.argv.slice(4));
