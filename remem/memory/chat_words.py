"""Word lists for facts from chats: what is not asserted, and what says too little alone."""

SPEAKER = frozenset({"i", "me", "my", "mine"})
LISTENER = frozenset({"you", "your", "yours"})
GROUP = frozenset({"we", "us", "our"})
UNRESOLVED = frozenset(
    {
        *("he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "theirs"),
        *("ours", "this", "that", "these", "those", "there", "here", "y'all", "ya", "u"),
        *("myself", "yourself", "himself", "herself", "itself", "ourselves", "themselves"),
        *("what", "where", "why", "how", "whatever", "whose", "whom", "wherever", "ur"),
        *("one", "ones", "others", "same", "both", "each", "else"),
        *("someone", "somebody", "anyone", "everyone", "everybody", "nobody", "somewhere"),
        *("something", "anything", "everything", "nothing", "either", "neither"),
        *(
            "last",
            "next",
            "yesterday",
            "today",
            "tomorrow",
            "tonight",
            "ago",
            "now",
            "then",
            "lol",
            "haha",
        ),
    }
)
"""Words that need the text around them."""

KIN = frozenset(
    {
        *("kid", "son", "daughter", "child", "wife", "husband", "girlfriend", "boyfriend"),
        *(
            "fianc\u00e9",
            "fianc\u00e9e",
            "fiance",
            "partner",
            "brother",
            "sister",
            "cousin",
            "niece",
        ),
        *("nephew", "dog", "cat", "pet", "puppy", "pup", "kitten", "kitty", "turtle", "roommate"),
        *("mentor", "grandson", "granddaughter", "stepson", "stepdaughter"),
    }
)
"""Whom not everybody has: "my son" says that the speaker has a son."""

PARENTS = frozenset({"mom", "mum", "mommy", "dad", "daddy", "grandma", "grandpa"})
"""Whom the speaker calls by this word alone."""

OWNED = frozenset(
    {
        *("studio", "store", "shop", "business", "biz", "company", "job", "apartment", "house"),
        *("car", "garden", "band", "team", "class", "startup", "brand", "blog", "channel", "farm"),
        *("novel", "screenplay", "script", "book", "guitar", "piano", "bike", "degree", "thesis"),
        *("internship", "church", "gym", "truck", "horse", "campaign", "major", "school"),
    }
)
"""What "my dance studio" says that the speaker has."""

RELATIVE_PRONOUNS = frozenset({"that", "which", "who", "whom", "whose", "where", "when"})
"""Words that are understood after the noun that they follow."""

DASHES = ("-", "--", "\u2013", "\u2014", "!", ".", "...", "\u2026")
"""Marks after which something else begins, if they are words of their own."""

DROPPED_ADVERBS = frozenset(
    {
        *("just", "also", "still", "now", "always", "even", "so", "too", "ever", "again", "once"),
        *("well", "hard", "soon", "often", "sometimes", "today", "yesterday", "here", "there"),
        *("super", "very", "pretty", "quite", "about", "lots", "much", "more", "tonight", "though"),
        *("anyway", "plus", "btw", "then", "first", "ago", "yet", "only"),
    }
)
"""Adverbs without which a clause still says what it said."""

BEFORE_ACTIVITIES = frozenset(
    {
        *("love", "like", "enjoy", "start", "go", "hate", "prefer", "stop", "quit", "begin"),
        *("practice", "try", "adore", "dislike", "about", "into", "in", "of", "on", "from", "with"),
    }
)
"""Verbs and prepositions after which "running" is what is liked, started or done."""

TENSELESS = frozenset(
    {"hurt", "put", "read", "cut", "set", "hit", "let", "cost", "shut", "quit", "bet", "split"}
)
"""Verbs that do not show whether they are in the past."""

HEDGES = frozenset(
    {
        *("maybe", "perhaps", "probably", "possibly", "hopefully", "supposedly", "apparently"),
        *("almost", "nearly", "hardly", "barely", "ideally", "otherwise", "kinda", "sorta"),
        *("whether", "unless", "if", "wish", "lol", "lmao", "haha", "jk"),
    }
)
ASSERTING_MARKS = frozenset({"because", "since", "when", "while", "after", "before", "cause"})
"""Conjunctions whose clauses are asserted."""

EMPTY_VERBS = frozenset(
    {
        *("think", "know", "guess", "mean", "hope", "wish", "hear", "feel", "seem", "look", "see"),
        *("thank", "wait", "believe", "bet", "wonder", "suppose", "imagine", "sound", "let", "say"),
        *("agree", "understand", "appreciate", "forget", "remember", "tell", "talk", "ask"),
        *("worry", "matter", "mind", "care", "expect", "assume", "swear", "admit", "mention"),
        *("notice", "realize", "consider", "figure", "happen", "reply", "send", "text", "admire"),
        *("respect", "doubt", "promise", "recommend", "suggest", "chat", "message", "type"),
    }
)
"""Verbs of talk and of thought."""

FACTIVE = frozenset(
    {
        *("know", "tell", "realize", "discover", "remember", "mention", "proud", "glad", "happy"),
        *("grateful", "lucky", "thankful", "excited"),
    }
)
"""What has a true clause after it."""

TELLING_PAIRS = frozenset(
    {
        *(("look", "into"), ("look", "for"), ("think", "about"), ("think", "of"), ("see", "")),
        *(("talk", "about"), ("talk", "to"), ("talk", "with"), ("hear", "from"), ("chat", "with")),
    }
)
"""Verbs of talk and thought with a preposition, "" for none, that do tell something."""

LIGHT_VERBS = frozenset(
    {"take", "bring", "put", "turn", "give", "send", "use", "keep", "get", "set"}
)
"""Verbs whose object says little without the place or person that follows it."""

LINKING_PREPOSITIONS = frozenset({"into", "from"})
"""What may follow "to be" directly: being "on fire" or "in awe" is a figure of speech."""

STATES = frozenset(
    {
        *("allergic", "addicted", "afraid", "active", "busy", "committed", "crazy", "dedicated"),
        *("devoted", "engaged", "excited", "familiar", "famous", "focused", "good", "great"),
        *("interested", "involved", "keen", "married", "obsessed", "passionate", "proud"),
        *("responsible", "scared", "terrified", "bad", "terrible", "stressed", "tired", "sick"),
        *("nervous", "worried", "fond", "inspired", "fascinated", "hooked", "in", "based", "close"),
        *("stuck", "stoked", "thrilled", "pumped", "new", "grateful", "swamped", "part", "born"),
    }
)
"""Adjectives that tell something about a life, together with what follows their preposition."""

KNOWN_PLACES = frozenset(
    {
        *("beach", "gym", "ocean", "sea", "mountain", "mountains", "piano", "guitar", "violin"),
        *("park", "hospital", "doctor", "lake", "forest", "woods", "museum", "library", "airport"),
        *("zoo", "internet", "outdoors", "coast", "army", "military", "drums", "dentist", "movies"),
        *("countryside", "environment", "government", "supermarket", "moon", "sun", "stars"),
    }
)
"""Nouns that "the" leaves as definite as they can be."""

READY_TO = frozenset(
    {"determined", "able", "excited", "thrilled", "eager", "keen", "proud", "stoked"}
)
"""Adjectives with which someone plans, or is able, to do something."""

VAGUE_NOUNS = frozenset(
    {
        *("thing", "things", "stuff", "way", "ways", "lot", "lots", "bit", "kind", "sort", "time"),
        *("times", "chance", "idea", "point", "question", "questions", "news", "word", "words"),
        *("thanks", "fun", "blast", "one", "ones", "part", "reason", "moment", "moments", "day"),
        *("days", "week", "weekend", "month", "year", "years", "hour", "hours", "minute", "while"),
        *("sense", "deal", "place", "case", "fact", "problem", "issue", "type", "side", "end"),
        *("feeling", "feelings", "vibe", "vibes", "stage", "guy", "guys", "people", "person"),
        *("luck", "break", "look", "step", "steps", "ton", "tons", "bunch", "couple", "mix"),
        *("mind", "touch", "track", "progress", "go", "shot", "try", "plan", "plans", "goal"),
        *("difference", "effort", "experience", "experiences", "option", "options", "setback"),
        *("surge", "lookout", "lead", "leads", "faith", "finger", "fingers", "awe", "fire"),
        *("back", "hurdle", "support", "advice", "impact", "memory", "memories", "opportunity"),
        *("challenge", "challenges", "eye", "eyes", "heart", "hand", "hands", "attention", "power"),
        *(
            "care",
            "note",
            "advantage",
            "use",
            "future",
            "life",
            "world",
            "fan",
            "change",
            "changes",
        ),
        *("joy", "hope", "strength", "courage", "confidence", "thought", "thoughts", "choice"),
        *("message", "account", "lesson", "start", "ride", "journey", "balance", "energy", "need"),
        *("picture", "pic", "photo", "example", "top", "best", "rest", "favor", "truth", "call"),
        *("control", "platform", "voice", "dream", "dreams", "attitude", "respect", "talent"),
        *("talents", "connection", "connections", "skill", "skills", "self", "love", "ok", "okay"),
        *("ability", "growth", "ground", "pressure", "spirit", "spirits", "success", "peace"),
        *("style", "charge", "crew", "kick", "hard", "folks", "vision", "potential", "value"),
        *("good", "great", "well", "alright", "fine", "age", "ages", "research", "appreciation"),
        *("story", "stories", "trouble", "weather", "sound", "number", "level", "line", "mood"),
    }
)
"""Nouns that say too little without more."""

THIN_NOUNS = frozenset(
    {
        *("project", "event", "incident", "policy", "organization", "tour", "mistake", "team"),
        *("program", "item", "game", "job", "influencer", "appointment", "post", "design", "tip"),
        *("response", "research", "result", "practice", "training", "study", "meeting"),
    }
)
"""Nouns that say enough only if they are described: "a project" does not, "a film project" does."""

LIKING = frozenset({"love", "like", "enjoy", "adore", "prefer", "appreciate", "dig"})
"""Verbs whose object with "the" is often in a picture that was just shown."""

NOT_YET_OWNED = frozenset(
    {
        *(
            "ideal",
            "dream",
            "next",
            "first",
            "second",
            "third",
            "future",
            "favorite",
            "fave",
            "fav",
        ),
        *("perfect", "favourite", "last", "old", "previous", "former", "potential"),
    }
)
"""What the speaker calls "my", and may not have."""
