"""The sentences of the generated dialogues, all our own.

Only the clauses, details and recalls report an event, and only `{when}` names a time: the rest is
talk that leaves every question as it is.
"""

from collections.abc import Mapping

PAST_CLAUSES = (
    "{When} I {did}{at}{company}.",
    "I {did}{at}{company} {when}.",
    "I {did}{company}{at} {when}.",
)
UNDATED_PAST_CLAUSES = ("I {did}{at}{company}.", "I {did}{company}{at}.")
SHARED_PAST_CLAUSES = (
    "{Companion} and I {did}{at} {when}.",
    "{When} {companion} and I {did}{at}.",
)
PLAN_CLAUSES = (
    "I'm going to {do}{at}{company} {when}.",
    "{When} I'm going to {do}{company}{at}.",
    "The plan is to {do}{at}{company} {when}.",
)
UNDATED_PLAN_CLAUSES = ("I'm going to {do}{at}{company}.", "The plan is to {do}{company}{at}.")

LEADS = (
    "So, here is my news.",
    "You won't believe it.",
    "Let me tell you what is keeping me busy.",
    "I have to tell you something.",
    "Right, my turn to report.",
    "I've been meaning to mention this.",
    "Don't laugh, please.",
    "There is one thing you should know.",
    "Listen to this.",
    "Here comes the highlight on my side.",
    "As for me, I do have something to tell.",
    "I know you like my little stories, so here is one.",
)
TAILS = (
    "It's still on my mind.",
    "I could go on and on about it.",
    "There's a story behind it, of course.",
    "I wanted you to be the first to hear.",
    "It wasn't really my idea, but you know how that goes.",
    "I have been telling everybody about it, so now it's you.",
    "You know me and {name}.",
    "One thing leads to another with {name}.",
    "I blame it all on {name} and my lack of self-control.",
    "If you ever need somebody to talk to about {name}, call me.",
    "That is what {name} can do to people, I'm told.",
    "My family rolls their eyes when I begin with {name}.",
)
AFTERTHOUGHTS = (
    "You know how I get about these things.",
    "Whoever knew me at school would be surprised.",
    "But you would have to see it to understand.",
    "That's the short version, anyway.",
    "I could draw you a picture, if you like.",
    "My phone memory is full now.",
    "Not that anybody keeps count of such things.",
    "Does that answer your question?",
    "The rest I will tell you face to face.",
    "I'm easy to please, you see.",
)

REACTIONS: Mapping[str, tuple[str, ...]] = {
    "activity": (
        "{Name} always sounds like such a good way to switch off.",
        "I could listen to you talk about {name} all evening.",
        "That's so you. If anybody can pull that off, it's the one person I know who dreams of "
        "{name}.",
        "People who are into {name} are a different breed.",
    ),
    "object": (
        "Wait, {object}? That's quite something.",
        "{Object}, really? I want every detail.",
        "Ha, {object} of all things!",
        "I would never have guessed {object}, but why not.",
    ),
    "companion": (
        "{Friend} is lucky to have you around.",
        "Give my regards to {friend}, will you?",
        "You and {friend}, what a team!",
        "I like everything I hear about {friend}.",
    ),
    "place": (
        "{Place} has such a special mood.",
        "I keep hearing nice things about {place}.",
        "You always pick the right spot, {place} is lovely.",
        "Everybody I know raves about {place}.",
    ),
}
REMARKS = (
    "Thanks for sharing that with me. You always find something worth telling.",
    "I see. Well, that gives me something to think about on the way home.",
    "That makes sense. I'd have done just the same in your shoes.",
    "Good to know! You should write these things down one of these days.",
    "Fair enough. I like how you never do anything by halves.",
    "Ha, I can picture it well. You must have a hundred stories like that one.",
    "Honestly, that's wonderful to hear. You sound very much alive.",
    "Really? I would have thought otherwise, but what do I know.",
    "Then I hope there is more of that in store for you.",
    "That sounds about right. You do have a talent for this.",
    "I'm impressed, I must say. Keep me posted on how it goes on.",
    "Oh, that's the kind of thing I like to hear. It cheers me up.",
)
HANDOVERS = (
    "Enough from me, though. What else is going on at your end?",
    "But I keep interrupting. Is there more?",
    "And apart from that? I have the feeling you are not done yet.",
    "Anything else on your list? I have got all the time in the world.",
    "Don't stop now, you are on a roll. What else?",
    "I'm all ears if there is anything else you would like to share.",
)

ENQUIRIES: Mapping[str, tuple[str, ...]] = {
    "object": ("What was it about, exactly?", "Could you be a bit more specific?"),
    "time": ("When exactly?", "And when would that be?"),
    "companion": ("All by yourself?", "Any company?"),
    "place": ("Whereabouts?", "Which spot are we talking about?"),
    "quantity": ("Was it a big effort?", "Was it a lot, all in all?"),
    "feeling": ("And what was that like for you?", "And your mood?"),
}
FOLLOW_UP_LEADS = (
    "Good question!",
    "Well, let me see.",
    "I thought you might ask.",
    "Ah yes, I should have said.",
    "Let me put it like this.",
    "Oh, right.",
    "Since you ask:",
    "I'm glad you ask.",
)
RECALLS = (
    "Do you remember that I {did}{at}{company}? {detail}",
    "I told you that I {did}{at}{company}, right? I left something out: {detail}",
    "By the way, you know that I {did}{at}{company}. {detail} I forgot to say so.",
    "Going back to how I {did}{at}{company}: {detail}",
)

PAST_DETAILS: Mapping[str, tuple[str, ...]] = {
    "object": ("I {did}.",),
    "time": ("That was {when}.", "It happened {when}."),
    "companion": ("{Companion} was there as well.", "I had {companion} with me."),
    "place": ("It was at {place}.", "{Place} was where it took place."),
    "feeling": ("It left me {feeling}.", "I was {feeling} afterwards, to be honest."),
}
PLAN_DETAILS: Mapping[str, tuple[str, ...]] = {
    "object": ("I'm going to {do}.",),
    "time": ("It's set for {when}.", "That will be {when}."),
    "companion": ("{Companion} is coming along.", "I'm taking {companion} with me."),
    "place": ("It will be at {place}.", "{Place} is where it will take place."),
}
QUANTITY_DETAILS: Mapping[str, str] = {
    "hours": "It went on for {quantity} hours.",
    "minutes": "It kept me busy for {quantity} minutes.",
    "attempts": "It took {quantity} attempts.",
    "euros": "It set me back {quantity} euros.",
}

OPENINGS = (
    "Hey {other}, good to hear from you! How is everything?",
    "Hi {other}! It's been a while, I was starting to wonder about you.",
    "There you are, {other}! I have been looking forward to a chat.",
    "Hello {other}, are you free for a little talk?",
    "{other}! Perfect timing, I just sat down with a cup of tea.",
    "Hi {other}, how are things on your side of town?",
)
ANSWERED_OPENINGS = (
    "Hi {other}! I can't complain, thanks. Plenty going on, as usual.",
    "Hey {other}! Busy but fine. It's lovely to have a minute for you.",
    "All good here, {other}. I was about to write to you myself!",
    "{other}, hello! A bit tired, but your message made me smile.",
    "Not bad at all, {other}. I do have a few things to tell you.",
    "Oh, {other}, so good that you write. Life is full, but in a good way.",
)
SMALL_TALK = (
    (
        "The weather here can't make up its mind. I never know which jacket to wear.",
        "Same here! I carry an umbrella everywhere and never need it.",
    ),
    (
        "My upstairs neighbour has discovered the trumpet. Pray for me.",
        "Oh no. Earplugs, or a very honest conversation?",
    ),
    (
        "The bus drivers are on strike again, so everything takes forever.",
        "I heard about that. My whole street is one long traffic jam.",
    ),
    (
        "I keep losing my keys. I think they hate me.",
        "Put a bell on them! It worked for a lady I know.",
    ),
    (
        "Work is a circus. We have three new managers and no printer.",
        "That sounds familiar. At least our coffee machine survived.",
    ),
    (
        "Have you noticed how expensive butter is? I nearly fainted at the till.",
        "Don't remind me. I look at the prices with one eye closed.",
    ),
    (
        "I can't sleep well lately, I lie awake and count ceiling cracks.",
        "Poor you. Warm milk does wonders, my grandmother swore by it.",
    ),
    (
        "My phone updated itself and I can't find a single button.",
        "Mine too! I called my own doctor by accident.",
    ),
)
CLOSINGS = (
    "I have to run, {other}. Talk soon, take care!",
    "My dinner is burning, {other}, so I'd better stop here. Hugs!",
    "Somebody's at the door. Let's go on with this soon, {other}.",
    "I should get some rest, {other}. It was so good to talk.",
    "My battery is dying, {other}. More in our next chat!",
)
ANSWERED_CLOSINGS = (
    "Take care, {other}! Thanks for the chat.",
    "Bye, {other}! Don't be a stranger.",
    "See you, {other}. You made my day.",
    "Always a pleasure, {other}. Bye for now!",
    "Until then, {other}. Be good!",
)
