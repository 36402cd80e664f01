// Receive what prae-filter passes on or sets aside. In this directory, once:
// npm install
//
//     prae-filter -o push:@ipc:///tmp/clean -O pub:@ipc:///tmp/odd ... &
//     node consumer.js pull:ipc:///tmp/clean
//     node consumer.js sub:ipc:///tmp/odd 10
//
// Places are written as prae-filter writes them: pull: or sub:, then the
// endpoint, with @ before it to bind. It ends after as many seconds of
// silence as the second argument says.
'use strict';

const { decodeMulti } = require('@msgpack/msgpack');
const zmq = require('zeromq');

async function openSocket(place) {
    const isSub = place.startsWith('sub:');
    const endpoint = place.replace(/^(pull|sub):/, '');
    const socket = isSub ? new zmq.Subscriber() : new zmq.Pull();
    if (isSub)
        socket.subscribe();
    if (endpoint.startsWith('@'))
        await socket.bind(endpoint.slice(1));
    else
        socket.connect(endpoint);
    return socket;
}

// One line on an envelope: what it was set aside for.
function describe(flagged) {
    if (flagged.kind === 'reject')
        return `${flagged.seq}: refused, ${flagged.reason.join(': ')}`;
    if (flagged.why.length === 0)
        return `${flagged.seq}: ${flagged.state}`;
    const [field, , observed, expected] = flagged.why[0];
    return `${flagged.seq}: ${field} is ${observed}, expected ${expected}`;
}

// The next message's frames, or null when it has been silent for too long.
async function receive(socket) {
    try {
        return await socket.receive();
    } catch (error) {
        if (error.code === 'EAGAIN')
            return null;
        throw error;
    }
}

async function main(place, silence = undefined) {
    const counts = { record: 0, outlier: 0, reject: 0 };
    const socket = await openSocket(place);
    if (silence !== undefined)
        socket.receiveTimeout = 1000 * silence;
    let frames;
    while ((frames = await receive(socket)) !== null) {
        const payload = frames[frames.length - 1];
        const leading = frames.slice(0, -1).map(String);
        // The last frame holds one record or more, end to end.
        for (const record of decodeMulti(payload)) {
            // What was set aside comes in an envelope; see prae-stream(7).
            const kind = record.kind === undefined ? 'record' : record.kind;
            counts[kind] += 1;
            if (kind !== 'record' && counts[kind] <= 5)
                console.log(...leading, describe(record));
        }
    }
    socket.close();
    console.log('got ' + Object.entries(counts)
        .map(([kind, count]) => `${count} ${kind}s`).join(', '));
}

main(process.argv[2], ...process.argv.slice(3, 4).map(Number));
